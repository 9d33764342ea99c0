/** Grey bars where something will be in a moment. */
import { Skeleton, Stack } from "@mantine/core";

const WIDTHS = ["92%", "85%", "78%", "64%", "51%", "38%"];

export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {WIDTHS.slice(0, lines).map((width) => (
        <Skeleton key={width} height={18} width={width} />
      ))}
    </Stack>
  );
}

export function PageLoading() {
  return <Loading lines={6} />;
}
