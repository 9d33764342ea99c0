/** Form fields of an endpoint: URL, description, events. */

import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Radio.layer.css";
import type { WebhookEndpoint, WebhookEvent } from "@mailvet/contract";
import { Checkbox, Radio, SimpleGrid, Stack, TextInput } from "@mantine/core";
import type { FieldsProps } from "../../components/settings-form.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";

/** A test event can't be chosen: it is sent to every endpoint. */
const CHOICES = (Object.keys(messages.events) as WebhookEvent[]).filter((event) => event !== "webhook.test");

export type WebhookDraft = { url: string; description: string; wantsAll: boolean; events: WebhookEvent[] };

export const EMPTY_DRAFT: WebhookDraft = { url: "", description: "", wantsAll: true, events: [] };

export function draftOf({ url, description, events }: WebhookEndpoint): WebhookDraft {
  return { url, description, wantsAll: events.length === 0, events };
}

/** As the API expects it: an empty list means all events. */
export function requestOf({ url, description, wantsAll, events }: WebhookDraft) {
  return { url: url.trim(), description: description.trim(), events: wantsAll ? [] : events };
}

/** Errors found before the request. */
export function draftProblems({ url, wantsAll, events }: WebhookDraft): Record<string, string> {
  return {
    ...(url.trim() === "" ? { url: common.required } : {}),
    ...(!wantsAll && events.length === 0 ? { events: messages.form.eventsMissing } : {}),
  };
}

export function WebhookFields({ draft, onChange, problems }: FieldsProps<WebhookDraft>) {
  return (
    <>
      <TextInput
        label={messages.form.url}
        description={messages.form.urlHint}
        placeholder={messages.form.urlPlaceholder}
        type="url"
        maxLength={2048}
        value={draft.url}
        onChange={({ currentTarget }) => onChange({ ...draft, url: currentTarget.value })}
        error={problems.url}
        data-autofocus
      />
      <TextInput
        label={messages.form.description}
        description={common.optional}
        maxLength={200}
        value={draft.description}
        onChange={({ currentTarget }) => onChange({ ...draft, description: currentTarget.value })}
        error={problems.description}
      />
      <Radio.Group
        label={messages.form.events}
        value={draft.wantsAll ? "all" : "some"}
        onChange={(value) => onChange({ ...draft, wantsAll: value === "all" })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={messages.form.allEvents} />
          <Radio value="some" label={messages.form.selectedEvents} />
        </Stack>
      </Radio.Group>
      {!draft.wantsAll && (
        <Checkbox.Group
          aria-label={messages.form.eventList}
          value={draft.events}
          onChange={(values) => onChange({ ...draft, events: values as WebhookEvent[] })}
          error={problems.events}
          errorProps={{ role: "alert" }}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" pl="lg" mb={6}>
            {CHOICES.map((event) => (
              <Checkbox key={event} value={event} label={event} description={messages.events[event]} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </>
  );
}
