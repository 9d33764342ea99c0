/** Available credits, linked to the usage page. */
import { Badge, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatCompact } from "../components/number-format.ts";
import { common } from "../messages.ts";
import { accountQuery } from "../queries.ts";

export function CreditsBadge() {
  const { data } = useQuery(accountQuery);
  if (!data) return null;
  const { balance } = data.credits;
  return (
    <Badge
      component={Link}
      to="/usage"
      size="lg"
      color={balance === 0 ? "red" : "brand"}
      style={{ cursor: "pointer" }}
      className="tabular"
    >
      <Text span inherit visibleFrom="xs">
        {common.credits(balance)}
      </Text>
      <Text span inherit hiddenFrom="xs" aria-label={common.credits(balance)}>
        {formatCompact(balance)}
      </Text>
    </Badge>
  );
}
