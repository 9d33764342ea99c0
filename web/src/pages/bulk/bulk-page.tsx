/** Uploads a list, previews it, starts the job; lists all jobs. */
import type { UploadPreview } from "@mailvet/contract";
import { Alert, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { PageHeader } from "../../components/page-header.tsx";
import { parsePage } from "../../components/pager.tsx";
import { sessionQuery } from "../../queries.ts";
import { JobList } from "./job-list.tsx";
import { isJobStatus } from "./job-status-badge.tsx";
import { messages } from "./messages.tsx";
import { PreviewCard } from "./preview-card.tsx";
import { readPreview, removePreview, removeStalePreviews, storePreview } from "./preview-storage.ts";
import { UploadDropzone } from "./upload-dropzone.tsx";

export function Page() {
  const { upload, column, page, status }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const accountId = session?.account.id ?? "";
  // Also in memory, for browsers without session storage.
  const [fresh, setFresh] = useState<UploadPreview>();
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (accountId) removeStalePreviews(accountId);
  }, [accountId]);

  const preview = upload === fresh?.upload_id ? fresh : upload && readPreview(upload, accountId);
  const goTo = (target: { upload?: string; column?: string }) =>
    navigate({
      to: "/bulk",
      search: ({ upload: _, column: __, ...rest }) => ({ ...rest, ...target }),
      resetScroll: false,
    });

  return (
    <Stack gap="xl">
      <div ref={top}>
        <PageHeader title={messages.title}>{messages.intro}</PageHeader>
        {preview ? (
          <PreviewCard
            key={preview.upload_id}
            preview={preview}
            column={column && preview.columns.includes(column) ? column : preview.suggested_email_column}
            onColumn={(name) => void goTo({ upload: preview.upload_id, column: name })}
            onDiscard={() => {
              removePreview(preview.upload_id);
              void goTo({});
            }}
          />
        ) : (
          <Stack>
            {upload && (
              <Alert color="gray" title={messages.previewGone}>
                {messages.previewGoneText}
              </Alert>
            )}
            <UploadDropzone
              onPreview={(found) => {
                storePreview(found, accountId);
                setFresh(found);
                void goTo({ upload: found.upload_id });
              }}
            />
          </Stack>
        )}
      </div>
      <JobList
        page={parsePage(page)}
        status={isJobStatus(status) ? status : undefined}
        onChooseFile={() => {
          top.current?.scrollIntoView({ block: "start" });
          top.current?.querySelector("button")?.focus();
        }}
      />
    </Stack>
  );
}
