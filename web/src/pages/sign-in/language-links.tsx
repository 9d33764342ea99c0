/** The languages below a card around sign-in. The page is loaded again in the chosen one. */

import { LANGUAGES } from "@mailvet/contract/words";
import { Anchor, Group } from "@mantine/core";
import { chooseLanguage, language } from "../../language.ts";
import { common } from "../../messages.ts";

export function LanguageLinks() {
  const { title, names } = common.language;
  return (
    <Group component="nav" aria-label={title} justify="center" gap="md">
      {LANGUAGES.map((to) => (
        <Anchor
          key={to}
          component="button"
          type="button"
          lang={to}
          size="sm"
          c="dimmed"
          td={to === language ? "underline" : "none"}
          aria-current={to === language}
          onClick={() => chooseLanguage(to)}
        >
          {names[to]}
        </Anchor>
      ))}
    </Group>
  );
}
