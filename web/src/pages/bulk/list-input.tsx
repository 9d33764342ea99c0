/** The ways to send a list: files, pasted text, a link. Passes on the preview of the service. */
import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/Tabs.layer.css";
import type { UploadPreview } from "@mailvet/contract";
import { Button, Group, Paper, Progress, Stack, Tabs, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef } from "react";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";
import { pastedList } from "./pasted-list.ts";
import { FileDropzone, sizeOf } from "./upload-dropzone.tsx";
import { UploadError } from "./upload-error.tsx";
import { nameOf, sendSource, type UploadSource } from "./upload-source.ts";

/** What was entered. Kept by the page, for the way back from the preview. */
export type EnteredList = { way: "files" | "paste" | "link"; pasted: string; url: string };

export const NO_LIST: EnteredList = { way: "files", pasted: "", url: "" };

export function ListInput({ draft, onDraft, onPreview }: ListInputProps) {
  const { way, pasted, url } = draft;
  const sending = useRef<AbortController>(undefined);
  const upload = useMutation({
    mutationFn(source: UploadSource) {
      sending.current = new AbortController();
      return sendSource(source, { signal: sending.current.signal });
    },
    onSuccess: onPreview,
  });
  // Leaving the page aborts the upload.
  useEffect(() => () => sending.current?.abort(), []);
  usePaste({
    onFiles: (files) => upload.mutate({ files }),
    onText: (text) => onDraft({ ...draft, way: "paste", pasted: text }),
  });

  if (upload.isPending) {
    return <Sending source={upload.variables} onCancel={() => sending.current?.abort()} />;
  }
  const sendText = (event: FormEvent) => {
    event.preventDefault();
    if (pasted.trim() === "") return;
    upload.mutate({ files: [new File([pastedList(pasted)], messages.upload.pastedName)] });
  };
  const sendLink = (event: FormEvent) => {
    event.preventDefault();
    if (url.trim() !== "") upload.mutate({ url: url.trim() });
  };
  const isAborted = sending.current?.signal.aborted ?? false;
  return (
    <Stack>
      {upload.error && !isAborted && <UploadError error={upload.error} filename={nameOf(upload.variables)} />}
      <Tabs
        value={way}
        onChange={(value) => onDraft({ ...draft, way: value as EnteredList["way"] })}
        keepMounted={false}
      >
        <Tabs.List aria-label={messages.upload.ways} mb="md">
          <Tabs.Tab value="files">{messages.upload.files}</Tabs.Tab>
          <Tabs.Tab value="paste">{messages.upload.paste}</Tabs.Tab>
          <Tabs.Tab value="link">{messages.upload.link}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="files">
          <FileDropzone onFiles={(files) => upload.mutate({ files })} onInvalid={upload.reset} />
        </Tabs.Panel>
        <Tabs.Panel value="paste">
          <form onSubmit={sendText}>
            <Stack align="flex-start">
              <Textarea
                w="100%"
                label={messages.upload.pasteLabel}
                description={messages.upload.pasteHint}
                placeholder={messages.upload.pasteExample}
                autosize
                minRows={6}
                maxRows={14}
                value={pasted}
                onChange={({ currentTarget }) => onDraft({ ...draft, pasted: currentTarget.value })}
              />
              <Button type="submit" disabled={pasted.trim() === ""}>
                {messages.upload.preview}
              </Button>
            </Stack>
          </form>
        </Tabs.Panel>
        <Tabs.Panel value="link">
          <form onSubmit={sendLink}>
            <Stack align="flex-start">
              <TextInput
                w="100%"
                type="url"
                label={messages.upload.linkLabel}
                description={messages.upload.linkHint}
                placeholder={messages.upload.linkExample}
                value={url}
                onChange={({ currentTarget }) => onDraft({ ...draft, url: currentTarget.value })}
              />
              <Button type="submit" disabled={url.trim() === ""}>
                {messages.upload.preview}
              </Button>
            </Stack>
          </form>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

type ListInputProps = {
  draft: EnteredList;
  onDraft: (draft: EnteredList) => void;
  onPreview: (preview: UploadPreview, source: UploadSource) => void;
};

/** Ctrl-V anywhere on the page, except in a field. */
function usePaste(handlers: { onFiles: (files: File[]) => void; onText: (text: string) => void }): void {
  const current = useRef(handlers);
  current.current = handlers;
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]"))
        return;
      const { files } = event.clipboardData ?? { files: undefined };
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (files && files.length > 0) current.current.onFiles([...files]);
      else if (text.trim() !== "") current.current.onText(text);
      else return;
      event.preventDefault();
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, []);
}

function Sending({ source, onCancel }: { source: UploadSource; onCancel: () => void }) {
  const isLink = "url" in source;
  const title = isLink ? messages.upload.downloading(source.url) : messages.upload.uploading(nameOf(source));
  return (
    <Paper withBorder p="xl">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <div role="status">
            <Text fw={500} className="breaks">
              {title}
            </Text>
            <Text size="sm" c="dimmed">
              {isLink ? messages.upload.downloadingHint : messages.upload.uploadingHint(sizeOf(source.files))}
            </Text>
          </div>
          <Button variant="default" onClick={onCancel}>
            {common.cancel}
          </Button>
        </Group>
        <Progress.Root size="md">
          <Progress.Section value={100} animated aria-label={title} withAria={false} />
        </Progress.Root>
      </Stack>
    </Paper>
  );
}
