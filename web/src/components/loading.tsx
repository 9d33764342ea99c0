/** Skeleton shown while data loads. */
import { Skeleton, Stack } from "@mantine/core";
import { common } from "../messages.ts";

const WIDTHS = ["92%", "85%", "78%", "64%", "51%", "38%"];

export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label={common.loading}>
      {WIDTHS.slice(0, lines).map((width) => (
        <Skeleton key={width} height={18} width={width} />
      ))}
    </Stack>
  );
}

export function PageLoading() {
  return <Loading lines={6} />;
}
