/** Uploads a list, previews it, starts the job; lists all jobs. */
import type { UploadPreview } from "@mailvet/contract";
import { Alert, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { BlockLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { parsePage } from "../../components/pager.tsx";
import { rememberTyped, takeTyped } from "../../mode.ts";
import { sessionQuery } from "../../queries.ts";
import { JobList } from "./job-list.tsx";
import { isJobStatus } from "./job-status-badge.tsx";
import { type EnteredList, ListInput, NO_LIST } from "./list-input.tsx";
import { messages } from "./messages.tsx";
import { readPreview, removePreview, removeStalePreviews, storePreview } from "./preview-storage.ts";
import type { UploadSource } from "./upload-source.ts";

const PreviewCard = lazy(async () => ({ default: (await import("./preview-card.tsx")).PreviewCard }));

export function Page() {
  const { upload, column, more, page, status }: Record<string, string | undefined> = useSearch({
    strict: false,
  });
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const accountId = session?.account.id ?? "";
  // Also in memory, for browsers without session storage.
  const [fresh, setFresh] = useState<UploadPreview>();
  const [source, setSource] = useState<UploadSource>();
  const [draft, setDraft] = useState(() => takeTyped("list") ?? NO_LIST);
  const changeDraft = (changed: EnteredList) => {
    setDraft(changed);
    rememberTyped({ list: changed });
  };
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (accountId) removeStalePreviews(accountId);
  }, [accountId]);

  const preview = upload === fresh?.upload_id ? fresh : upload && readPreview(upload, accountId);
  const goTo = (target: { upload?: string; column?: string; more?: string }, isReplacing = false) =>
    navigate({
      to: "/bulk",
      search: ({ upload: _, column: __, more: ___, ...rest }) => ({ ...rest, ...target }),
      resetScroll: false,
      replace: isReplacing,
    });

  /** The button that had the focus disappears. */
  const keepFocus = () => top.current?.closest("main")?.focus({ preventScroll: true });
  const showPreview = (found: UploadPreview, from: UploadSource) => {
    storePreview(found, accountId);
    setFresh(found);
    setSource(from);
    keepFocus();
    void goTo({ upload: found.upload_id }, Boolean(preview)); // another sheet replaces the one shown
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
              more={columnsIn(more).filter((name) => preview.columns.includes(name))}
              onColumns={(name, others) =>
                void goTo(
                  {
                    upload: preview.upload_id,
                    column: name,
                    ...(others.length > 0 && { more: JSON.stringify(others) }),
                  },
                  true,
                )
              }
              onDiscard={() => {
                removePreview(preview.upload_id);
                keepFocus();
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
            <ListInput draft={draft} onDraft={changeDraft} onPreview={showPreview} />
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

/** Names of columns, which may contain any separator, as JSON. */
function columnsIn(text: string | undefined): string[] {
  try {
    const names: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
