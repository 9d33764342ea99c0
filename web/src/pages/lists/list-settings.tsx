/** Name, tags and schedule of a saved list. */
import type { SavedList } from "@mailvet/contract";
import { SettingsForm } from "../../components/settings-form.tsx";
import { service } from "../../queries.ts";
import { draftOf, draftProblems, ListFields, requestOf } from "./list-fields.tsx";
import { listsChanged } from "./list-queries.ts";
import { messages } from "./messages.tsx";

export function ListSettings({ list, emails }: { list: SavedList; emails: number | undefined }) {
  return (
    <SettingsForm
      title={messages.page.settings}
      stored={list}
      draftOf={draftOf}
      requestOf={requestOf}
      problemsOf={draftProblems}
      save={async (changes) => {
        await service.lists.update(list.id, changes);
        await listsChanged();
      }}
    >
      {(fields) => <ListFields {...fields} emails={emails} />}
    </SettingsForm>
  );
}
