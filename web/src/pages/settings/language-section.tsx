/** Choice of the language. The page is loaded again in it. */

import { LANGUAGES, type Language } from "@mailvet/contract/words";
import { NativeSelect } from "@mantine/core";
import { Section } from "../../components/section.tsx";
import { chooseLanguage, chosenLanguage } from "../../language.ts";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";

export function LanguageSection() {
  const { title, names } = common.language;
  return (
    <Section title={title} intro={messages.language.intro}>
      <NativeSelect
        aria-label={title}
        maw={320}
        data={[
          { value: "", label: messages.language.auto },
          ...LANGUAGES.map((language) => ({ value: language, label: names[language] })),
        ]}
        value={chosenLanguage() ?? ""}
        onChange={({ currentTarget: { value } }) =>
          chooseLanguage((value || undefined) as Language | undefined)
        }
      />
    </Section>
  );
}
