/** Skeleton shown while data loads. */
import { Box, Group, Paper, Skeleton, Stack } from "@mantine/core";
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

/** In place of a table, with the height of its rows. */
export function TableLoading({ rows = 5 }: { rows?: number }) {
  return (
    <Paper withBorder role="status" aria-label={common.loading} className="ruled">
      {Array.from({ length: rows + 1 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows do not change
        <Group key={index} h={index === 0 ? 38 : 43} px="md" justify="space-between">
          <Skeleton height={12} width={index === 0 ? "12%" : "28%"} />
          <Skeleton height={12} width={index === 0 ? "8%" : "16%"} />
        </Group>
      ))}
    </Paper>
  );
}

/** In place of a block of a certain height, such as a chart. */
export function BlockLoading({ height }: { height: number | Record<string, number> }) {
  return (
    <Box role="status" aria-label={common.loading} h={height}>
      <Skeleton height="100%" radius="lg" />
    </Box>
  );
}
