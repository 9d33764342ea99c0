/** Whole lists: choose a file, see what is in it, start; and all the jobs there were. */
import type { UploadPreview } from "@mailvet/contract";
import { Alert, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { PageTitle } from "../../parts/page-title.tsx";
import { pageIn } from "../../parts/pager.tsx";
import { sessionQuery } from "../../queries.ts";
import { FileDrop } from "./file-drop.tsx";
import { JobList } from "./job-list.tsx";
import { isJobStatus } from "./job-state.tsx";
import { forgetOldPreviews, forgetPreview, keepPreview, readPreview } from "./kept-preview.ts";
import { PreviewCard } from "./preview-card.tsx";

export function Page() {
  const { upload, column, page, status }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const accountId = session?.account.id ?? "";
  // Held here too, for browsers that keep nothing.
  const [fresh, setFresh] = useState<UploadPreview>();
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (accountId) forgetOldPreviews(accountId);
  }, [accountId]);

  const preview = upload === fresh?.upload_id ? fresh : upload && readPreview(upload, accountId);
  const goTo = (place: { upload?: string; column?: string }) =>
    navigate({
      to: "/bulk",
      search: ({ upload: _, column: __, ...rest }) => ({ ...rest, ...place }),
      resetScroll: false,
    });

  return (
    <Stack gap="xl">
      <div ref={top}>
        <PageTitle title="Bulk">
          Validate a whole list: choose a file, check what is in it, and start.
        </PageTitle>
        {preview ? (
          <PreviewCard
            key={preview.upload_id}
            preview={preview}
            column={column && preview.columns.includes(column) ? column : preview.suggested_email_column}
            onColumn={(name) => void goTo({ upload: preview.upload_id, column: name })}
            onLeave={() => {
              forgetPreview(preview.upload_id);
              void goTo({});
            }}
          />
        ) : (
          <Stack>
            {upload && (
              <Alert color="gray" title="This preview is no longer here">
                It was started, left, or has expired. Choose the file again.
              </Alert>
            )}
            <FileDrop
              onPreview={(found) => {
                keepPreview(found, accountId);
                setFresh(found);
                void goTo({ upload: found.upload_id });
              }}
            />
          </Stack>
        )}
      </div>
      <JobList
        page={pageIn(page)}
        status={isJobStatus(status) ? status : undefined}
        onFirst={() => {
          top.current?.scrollIntoView({ block: "start" });
          top.current?.querySelector("button")?.focus();
        }}
      />
    </Stack>
  );
}
