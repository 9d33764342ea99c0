/** Command palette: go to a page, find a job, key or account, check an address. Loaded when it is first opened. */
import "../design/mantine-dialog.css";
import "@mantine/spotlight/styles.layer.css";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData, spotlight } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useState } from "react";
import { Icon } from "../components/icon.tsx";
import { shellMessages } from "../messages.ts";
import { keysQuery } from "../pages/keys/key-queries.ts";
import { accountsQuery } from "../pages/operator/operator-queries.ts";
import { jobNamesQuery } from "../pages/usage/usage-queries.ts";
import classes from "./command-palette.module.css";
import { NavIcon } from "./nav-icon.tsx";
import { OPERATOR_PAGES, PAGES } from "./nav-links.tsx";

const { palette: messages, nav } = shellMessages;
const MAX_PER_GROUP = 6;
const TYPING_PAUSE_MS = 200;
const SEARCH = "M13 13l4 4M14.500 9a5.500 5.500 0 1 1-11 0 5.500 5.500 0 0 1 11 0z";

type Command = SpotlightActionData & { label: string };
type CommandGroup = { name: string; commands: Command[] };

export function CommandPalette({ isOperator }: { isOperator: boolean }) {
  const [query, setQuery] = useState("");
  // It is loaded to be opened. After it is mounted, so that Mantine notes where to return the focus to.
  useEffect(() => spotlight.open(), []);
  const groups = useCommands(query.trim(), isOperator);
  /** Enter takes the first command when none is selected: it may have arrived after the query was typed. */
  const takeFirst = (event: KeyboardEvent<HTMLInputElement>) => {
    const dialog = event.currentTarget.closest("[role=dialog]");
    if (event.key === "Enter" && !dialog?.querySelector("[data-selected]"))
      dialog?.querySelector<HTMLElement>("[data-action]")?.click();
  };
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      clearQueryOnClose
      maxHeight={460}
      scrollable
      title={messages.title}
      radius="lg"
      shadow="md"
      overlayProps={{ backgroundOpacity: 0.3, blur: 1 }}
      classNames={{
        header: "visually-hidden",
        search: classes.search,
        actionsList: classes.list,
        actionsGroup: classes.group,
        action: classes.action,
      }}
    >
      <Spotlight.Search
        placeholder={messages.placeholder}
        aria-label={messages.title}
        onKeyDown={takeFirst}
        leftSection={<Icon path={SEARCH} size={18} />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ name, commands }) => (
          <Spotlight.ActionsGroup key={name} label={name}>
            {commands.map(({ id, ...command }) => (
              <Spotlight.Action key={id} {...command} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>{messages.none}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useCommands(query: string, isOperator: boolean): CommandGroup[] {
  const navigate = useNavigate();
  const [search] = useDebouncedValue(query, TYPING_PAUSE_MS);
  const isAsking = query.length >= 2;
  const { data: jobs } = useQuery({ ...jobNamesQuery, enabled: isAsking });
  const { data: keys } = useQuery({ ...keysQuery, enabled: isAsking });
  const { data: accounts } = useQuery({
    ...accountsQuery({ search, state: undefined, sort: "email", order: "asc", after: undefined }),
    enabled: isOperator && search.length >= 2,
  });
  const matches = (text: string) => text.toLowerCase().includes(query.toLowerCase());
  const pages = [...PAGES, ...(isOperator ? OPERATOR_PAGES : [])];
  const groups: CommandGroup[] = [
    {
      name: messages.check,
      commands: query.includes("@")
        ? [
            {
              id: "check",
              label: messages.checkEmail(query),
              leftSection: <NavIcon name="validate" />,
              onClick: () => void navigate({ to: "/validate", search: { email: query } }),
            },
          ]
        : [],
    },
    {
      name: messages.pages,
      commands: [
        ...pages.map(([path, name]) => ({
          id: path,
          label: nav[name],
          leftSection: <NavIcon name={name} />,
          onClick: () => void navigate({ to: path }),
        })),
        {
          id: "/docs",
          label: nav.reference,
          leftSection: <NavIcon name="reference" />,
          onClick: () => window.location.assign("/docs"),
        },
      ],
    },
    {
      name: messages.jobs,
      commands: [...(isAsking && jobs ? jobs : [])].map(([id, filename]) => ({
        id,
        label: filename,
        leftSection: <NavIcon name="bulk" />,
        onClick: () => void navigate({ to: "/bulk/$jobId", params: { jobId: id } }),
      })),
    },
    {
      name: messages.keys,
      commands: (isAsking && keys ? keys : []).map(({ id, name, prefix }) => ({
        id,
        label: name,
        description: `${prefix}…`,
        leftSection: <NavIcon name="keys" />,
        onClick: () => void navigate({ to: "/keys" }),
      })),
    },
    {
      name: messages.accounts,
      commands: (accounts?.items ?? []).map(({ id, email }) => ({
        id,
        label: email,
        leftSection: <NavIcon name="accounts" />,
        onClick: () => void navigate({ to: "/operator/accounts/$accountId", params: { accountId: id } }),
      })),
    },
  ];
  return groups
    .map(({ name, commands }) => ({
      name,
      commands: commands
        .filter(({ id, label }) => id === "check" || matches(label))
        .slice(0, query === "" ? undefined : MAX_PER_GROUP),
    }))
    .filter(({ commands }) => commands.length > 0);
}
