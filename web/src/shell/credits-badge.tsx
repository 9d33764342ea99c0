/** What is left to spend, wherever one is. */
import { Badge, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { accountQuery } from "../queries.ts";
import { formatCompact, plural } from "../shared/number-format.ts";

export function CreditsBadge() {
  const { data } = useQuery(accountQuery);
  if (!data) return null;
  const { balance } = data.credits;
  return (
    <Badge
      component={Link}
      to="/usage"
      size="lg"
      color={balance === 0 ? "red" : "cyan"}
      style={{ cursor: "pointer" }}
      className="tabular"
    >
      <Text span inherit visibleFrom="xs">
        {plural(balance, "credit")}
      </Text>
      <Text span inherit hiddenFrom="xs" aria-label={plural(balance, "credit")}>
        {formatCompact(balance)}
      </Text>
    </Badge>
  );
}
