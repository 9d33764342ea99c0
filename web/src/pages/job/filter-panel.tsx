/** The opened panel of further filters, and the order of the results. */
import type { Job } from "@mailvet/contract";
import { Button, Group, NativeSelect, Stack, Switch } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactElement, useEffect, useState } from "react";
import { OpeningPanel } from "../../components/menu/opening-panel.tsx";
import { providerName } from "../../components/provider-name.ts";
import { isWholeNumber, WholeNumberInput } from "../../components/whole-number-input.tsx";
import { common } from "../../messages.ts";
import { messages, subStatusText } from "./messages.tsx";
import { type FilterText, isNarrowed, type SetFilter } from "./result-filter.ts";
import { TypedFilter } from "./typed-filter.tsx";

export default function FilterPanel({ button, job, filter, onSet }: FilterPanelProps) {
  const texts = messages.results.more;
  const reasons = Object.keys(job.sub_status_counts).filter((name) => name !== "");
  return (
    <OpeningPanel button={button} label={texts.title} width={300}>
      <Stack gap="sm">
        <Switch
          label={texts.safe}
          checked={filter.safe_to_send === "true"}
          onChange={({ currentTarget: { checked } }) => onSet({ safe_to_send: checked ? "true" : "" })}
        />
        <NativeSelect
          label={texts.reason}
          value={filter.sub_status ?? ""}
          onChange={({ currentTarget: { value } }) => onSet({ sub_status: value })}
          data={[
            { value: "", label: texts.any },
            ...reasons.map((name) => ({ value: name, label: subStatusText(name).name })),
          ]}
        />
        <Group grow gap="xs">
          {(["min_score", "max_score"] as const).map((name) => (
            <ScoreFilter
              key={name}
              label={texts[name]}
              score={filter[name] ?? ""}
              onScore={(score) => onSet({ [name]: score })}
            />
          ))}
        </Group>
        <TypedFilter label={texts.domain} text={filter.domain ?? ""} onText={(domain) => onSet({ domain })} />
        <NativeSelect
          label={texts.provider}
          value={filter.provider ?? ""}
          onChange={({ currentTarget: { value } }) => onSet({ provider: value })}
          data={[
            { value: "", label: texts.any },
            ...PROVIDERS.map((slug) => ({ value: slug, label: providerName(slug) })),
          ]}
        />
        <NativeSelect
          label={texts.sort}
          value={filter.sort ?? ""}
          onChange={({ currentTarget: { value } }) => onSet({ sort: value })}
          data={texts.orders.map(([value, label]) => ({ value, label }))}
        />
        {(isNarrowed(filter) || filter.sort) && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/bulk/$jobId"
                params={{ jobId: job.id }}
                search={{}}
                resetScroll={false}
                replace
              />
            )}
          >
            {texts.reset}
          </Button>
        )}
      </Stack>
    </OpeningPanel>
  );
}

type FilterPanelProps = { button: ReactElement; job: Job; filter: FilterText; onSet: SetFilter };

/** Applied once it is a number. */
function ScoreFilter({ label, score, onScore }: ScoreFilterProps) {
  const [typed, setTyped] = useState(score);
  useEffect(() => setTyped(score), [score]); // the URL has changed
  const change = (text: string) => {
    setTyped(text);
    if (text === "" || isWholeNumber(text)) onScore(text);
  };
  return <WholeNumberInput label={label} maxLength={3} value={typed} onChange={change} />;
}

type ScoreFilterProps = { label: string; score: string; onScore: (score: string) => void };

/** The providers that most lists contain. */
const PROVIDERS = [...Object.keys(common.providers), "other"];
