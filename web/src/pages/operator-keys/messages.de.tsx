/** German texts of the operator keys page. */
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

export const messages: Translation<typeof english.messages> = {
  title: "Betreiberschlüssel",
  intro: (header) => (
    <>
      Für Skripte, die diese Installation verwalten. Senden Sie den Schlüssel im Header {header}. Er gilt nur
      für die Endpunkte für Betreiber.
    </>
  ),
  none: "Noch keine Betreiberschlüssel",
  noneText:
    "Erstellen Sie einen Schlüssel, um Konten, Credits und fehlgeschlagene Aufgaben ohne Browser zu verwalten.",
  scopes: {
    "accounts:read": "Konten auflisten und ansehen",
    "accounts:write":
      "Konten eröffnen, sperren und freigeben, Tarife und E-Mail-Adressen ändern, Sitzungen beenden",
    "accounts:export": "Konten mit ihren Listen und Ergebnissen exportieren",
    "accounts:erase": "Konten löschen",
    "credits:write": "Credits vergeben und abziehen",
    "jobs:read": "Aufträge und fehlgeschlagene Aufgaben auflisten",
    "jobs:write": "Aufträge anhalten, fortsetzen und abbrechen, fehlgeschlagene Aufgaben neu starten",
    "system:read": "Systemstatus ansehen und Diagnose ausführen",
    "audit:read": "Audit-Log aller Konten ansehen und exportieren",
  },
  form: {
    namePlaceholder: "Abrechnungsskript",
    ranges: "Erlaubte Adressen",
    rangesHint: "IP-Adressen oder CIDR-Bereiche, je Zeile einer. Leer lassen, um alle Adressen zu erlauben.",
    rangesPlaceholder: "192.0.2.10\n2001:db8::/48",
  },
  created: "Betreiberschlüssel erstellt",
  columns: { scopes: "Rechte", allowed: "Erlaubt von", createdBy: "Erstellt von" },
  everywhere: "Überall",
  deletedOperator: "Gelöschtes Konto",
};
