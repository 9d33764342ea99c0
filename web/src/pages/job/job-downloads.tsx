/** Button of the downloads of a job. */
import type { Job } from "@mailvet/contract";
import { Button } from "@mantine/core";
import { lazy } from "react";
import { LazyMenu } from "../../components/menu/lazy-menu.tsx";
import { messages } from "./messages.tsx";
import type { FilterText } from "./result-filter.ts";

const load = () => import("./download-panel.tsx");
const DownloadPanel = lazy(load);

export function JobDownloads({ job, filter }: { job: Job; filter: FilterText }) {
  return (
    <LazyMenu
      button={<Button>{messages.downloads.button}</Button>}
      popup="dialog"
      preload={() => void load()}
    >
      {(button) => <DownloadPanel button={button} job={job} filter={filter} />}
    </LazyMenu>
  );
}
