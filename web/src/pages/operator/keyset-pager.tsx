/** Pages of a list that begin after an item. The position is in the URL, so the browser goes back. */

import { Button, Group } from "@mantine/core";
import { messages } from "./messages.tsx";

export function KeysetPager({ after, next, onPage }: KeysetPagerProps) {
  if (after === undefined && next === undefined) return null;
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" size="sm" disabled={after === undefined} onClick={() => onPage(undefined)}>
        {messages.pager.first}
      </Button>
      <Button variant="default" size="sm" disabled={next === undefined} onClick={() => onPage(next)}>
        {messages.pager.next}
      </Button>
    </Group>
  );
}

type KeysetPagerProps = {
  /** The page begins after this item; undefined: the first page. */
  after: string | undefined;
  /** The next page begins after this item; undefined: there is none. */
  next: string | undefined;
  onPage: (after: string | undefined) => void;
};
