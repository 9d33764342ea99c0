/** Uploads a list, previews it, starts the job; lists all jobs. */
import type { UploadPreview } from "@mailvet/contract";
import { Alert, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { BlockLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { parsePage } from "../../components/pager.tsx";
import { sessionQuery } from "../../queries.ts";
import { JobList } from "./job-list.tsx";
import { isJobStatus } from "./job-status-badge.tsx";
import { ListInput } from "./list-input.tsx";
import { messages } from "./messages.tsx";
import { readPreview, removePreview, removeStalePreviews, storePreview } from "./preview-storage.ts";
import type { UploadSource } from "./upload-source.ts";

const PreviewCard = lazy(async () => ({ default: (await import("./preview-card.tsx")).PreviewCard }));

export function Page() {
  const { upload, column, page, status }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const accountId = session?.account.id ?? "";
  // Also in memory, for browsers without session storage.
  const [fresh, setFresh] = useState<UploadPreview>();
  const [source, setSource] = useState<UploadSource>();
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

  const showPreview = (found: UploadPreview, from: UploadSource) => {
    storePreview(found, accountId);
    setFresh(found);
    setSource(from);
    void goTo({ upload: found.upload_id });
  };

  return (
    <Stack gap="xl">
      <div ref={top}>
        <PageHeader title={messages.title}>{messages.intro}</PageHeader>
        {preview ? (
          <Suspense fallback={<BlockLoading height={480} />}>
            <PreviewCard
              key={preview.upload_id}
              preview={preview}
              source={preview === fresh ? source : undefined}
              onPreview={showPreview}
              column={column && preview.columns.includes(column) ? column : preview.suggested_email_column}
              onColumn={(name) => void goTo({ upload: preview.upload_id, column: name })}
              onDiscard={() => {
                removePreview(preview.upload_id);
                void goTo({});
              }}
            />
          </Suspense>
        ) : (
          <Stack>
            {upload && (
              <Alert color="gray" title={messages.previewGone}>
                {messages.previewGoneText}
              </Alert>
            )}
            <ListInput onPreview={showPreview} />
          </Stack>
        )}
      </div>
      <JobList
        page={parsePage(page)}
        status={isJobStatus(status) ? status : undefined}
        onChooseFile={() => {
          top.current?.scrollIntoView({ block: "start" });
          top.current?.querySelector<HTMLButtonElement>("[role=tabpanel] button")?.focus();
        }}
      />
    </Stack>
  );
}
