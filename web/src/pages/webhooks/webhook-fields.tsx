/** What can be chosen about an endpoint, when it is made and later. */
import type { WebhookEndpoint, WebhookEvent } from "@mailvet/contract";
import { Checkbox, Radio, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { CHOICES, EVENTS } from "./event-words.ts";

export type WebhookDraft = { url: string; description: string; wantsAll: boolean; events: WebhookEvent[] };

export const EMPTY_DRAFT: WebhookDraft = { url: "", description: "", wantsAll: true, events: [] };

export function draftOf({ url, description, events }: WebhookEndpoint): WebhookDraft {
  return { url, description, wantsAll: events.length === 0, events };
}

/** As the service wants it: an empty list means every event. */
export function requestOf({ url, description, wantsAll, events }: WebhookDraft) {
  return { url: url.trim(), description: description.trim(), events: wantsAll ? [] : events };
}

/** What is wrong before anybody is asked. */
export function draftProblems({ url, wantsAll, events }: WebhookDraft): Record<string, string> {
  return {
    ...(url.trim() === "" ? { url: "Please fill this in." } : {}),
    ...(!wantsAll && events.length === 0 ? { events: "Choose at least one, or every event." } : {}),
  };
}

export function WebhookFields({ draft, onChange, problems }: WebhookFieldsProps) {
  return (
    <>
      <TextInput
        label="URL"
        description="Begins with https:// and leads to the public Internet. It has 15 seconds to answer with a 2xx."
        placeholder="https://example.com/hooks/mailvet"
        type="url"
        maxLength={2048}
        value={draft.url}
        onChange={({ currentTarget }) => onChange({ ...draft, url: currentTarget.value })}
        error={problems.url}
        data-autofocus
      />
      <TextInput
        label="Description"
        description="For yourself. May stay empty."
        maxLength={200}
        value={draft.description}
        onChange={({ currentTarget }) => onChange({ ...draft, description: currentTarget.value })}
        error={problems.description}
      />
      <Radio.Group
        label="Events"
        value={draft.wantsAll ? "all" : "some"}
        onChange={(value) => onChange({ ...draft, wantsAll: value === "all" })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label="Every event, also those that come later" />
          <Radio value="some" label="Only these" />
        </Stack>
      </Radio.Group>
      {!draft.wantsAll && (
        <Checkbox.Group
          aria-label="Which events"
          value={draft.events}
          onChange={(values) => onChange({ ...draft, events: values as WebhookEvent[] })}
          error={problems.events}
          errorProps={{ role: "alert" }}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" pl="lg" mb={6}>
            {CHOICES.map((event) => (
              <Checkbox key={event} value={event} label={event} description={EVENTS[event]} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </>
  );
}

type WebhookFieldsProps = {
  draft: WebhookDraft;
  onChange: (draft: WebhookDraft) => void;
  problems: Record<string, string>;
};
