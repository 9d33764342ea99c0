/** Texts of the settings page. */
import type { ReactNode } from "react";
import { plural } from "../../components/number-format.ts";
import { common } from "../../messages.ts";

export const messages = {
  title: "Settings",
  intro: "Profile, language, password, passkeys, sessions and your data.",

  profile: {
    title: "Profile",
    created: "Account since",
    credits: "Credits",
    balance: (balance: number, reserved: number) =>
      `${common.credits(balance)} available${reserved > 0 ? `, ${common.reservedForJobs(reserved)}` : ""}`,
    plan: "Plan",
    limits: "Plan limits",
    administrator: "Your administrator changes plans and grants credits.",
  },

  language: {
    intro: "Language of the web app and of the reasons for verdicts, in this browser.",
    auto: "Language of the browser",
  },

  password: {
    title: "Password",
    intro: "Changing your password signs out all other sessions.",
    changed: "Password changed",
    changedText: "All other sessions were signed out.",
    current: "Current password",
    currentToggle: "Toggle visibility of the current password",
    new: "New password",
    wrong: "Wrong password.",
    submit: "Change password",
  },

  twoFactor: {
    title: "Two-factor sign-in",
    intro: "Sign-in asks for a code of your authenticator app in addition to the password.",
    required:
      "Operators of this installation must enable it, or add a passkey, before they can use the operator pages.",
    password: "Your password",
    passwordToggle: "Toggle visibility of your password",
    setUp: "Set up",
    scan: "Scan this QR code with your authenticator app.",
    qrCode: "QR code for your authenticator app",
    type: "Or type this secret into the app. It is shown only now.",
    secretLabel: "secret",
    enable: "Enable",
    enabled: (left: number) => `Enabled. ${plural(left, "recovery code")} left.`,
    change:
      "For new recovery codes, which replace the previous ones, or to disable it, enter your password and a code.",
    replaceCodes: "New recovery codes",
    disable: "Disable",
    codesTitle: "Recovery codes",
    codesLabel: "recovery codes",
    codesText:
      "Save these codes now, they are shown only once. Each signs in once in place of a code, should you lose your authenticator app.",
  },

  passkeys: {
    title: "Passkeys",
    intro:
      "Sign in with your device or a security key instead of the password and code. Your password keeps working.",
    unavailable: "Passkeys need a secure address with a domain name, which this one is not.",
    none: "No passkeys yet.",
    add: "Add passkey",
    name: "Name",
    nameHint: "Which device or security key is it?",
    nameMissing: "Enter a name.",
    passwordMissing: "Enter your password.",
    usePasskey: "Use a passkey instead",
    details: (createdAt: ReactNode, lastUsedAt: ReactNode | undefined) => (
      <>
        Created {createdAt}, {lastUsedAt ? <>last used {lastUsedAt}</> : "never used"}
      </>
    ),
    rename: "Rename",
    renameNamed: (name: string) => `Rename ${name}`,
    renameTitle: "Rename passkey",
    remove: "Remove",
    removeNamed: (name: string) => `Remove ${name}`,
    removeTitle: "Remove this passkey?",
    removeText: (name: string) => `“${name}” will no longer sign in, and all other sessions are signed out.`,
    removeSubmit: "Remove passkey",
  },

  sessions: {
    title: "Active sessions",
    intro:
      "A session lasts 30 days, or until it is unused for 7 days. Sign out any you don't recognise, and change your password.",
    current: "This browser",
    details: (ip: string, createdAt: ReactNode, lastUsedAt: ReactNode) => (
      <>
        {ip}, signed in {createdAt}, last used {lastUsedAt}
      </>
    ),
    signOut: "Sign out",
    signOutHere: "Sign out of this browser",
    signOutOf: (browser: string, ip: string) => `Sign out ${browser}, ${ip}`,
    confirmHere: "Sign out of this browser?",
    confirm: "Sign out this session?",
    text: (browser: string, ip: string) => `${browser} at ${ip} will have to sign in again.`,
    textHere: "You will have to sign in again.",
  },

  browser: {
    on: (browser: string, system: string) => `${browser} on ${system}`,
    unknown: "Unknown client",
  },

  notifications: {
    title: "Notifications",
    intro: "Emails go to the address of your account.",
    noMail: "Email is not set up on this installation. Browser notifications still work.",
    jobs: "Email me when a job is completed, has failed or needs credits, and when a saved list has changed",
    threshold: "Email me when credits fall below",
    thresholdHint: "Leave empty for no email.",
    allowBrowser: "Allow browser notifications",
    browser: {
      granted:
        "While Mailvet is open in the background, this browser notifies you when a job ends, a saved list changes or a run needs credits.",
      denied: "Notifications are blocked in this browser. Allow them in its settings for this site.",
    },
  },

  data: {
    title: "Your data",
    intro:
      "Download everything your account has as a ZIP file: jobs with results, uploads, saved lists, keys without their secrets, webhooks with their deliveries, sessions, audit log, ledger and usage.",
    export: "Export",
    exportPrepared: "The file is being prepared. The download starts on this page.",
    exportStarted: "The download has started.",
    close: "Close account",
    closeText: "Deletes your account with all jobs, files, results, keys and credits.",
    closeTitle: "Close your account?",
    closeWarning:
      "Everything is deleted at once and can't be restored: jobs, files, results, API keys, webhooks and remaining credits. Export your data first if you want to keep it.",
    closeConfirm: "Close account for good",
  },

  retention: {
    title: "Data retention",
    intro: (link: ReactNode) => <>Files and results are yours. Delete a job under {link} to delete them.</>,
    bulk: "Bulk",
    unknownDays: "Several days",
    /** Kind of data, how long it is kept, and details. */
    rows: (resultDays: string): readonly (readonly [data: string, period: string, details: string])[] => [
      [
        "Uploaded files",
        "One day, unless confirmed",
        "A confirmed upload becomes a job and is kept with its results.",
      ],
      [
        "Job results",
        `${resultDays} after the job finishes`,
        "Each job shows its date. Deleting a job deletes its rows and results immediately.",
      ],
      [
        "Cached results",
        "One hour to three days, depending on the verdict; kept 30 more days to match your bounce reports",
        "Makes repeated checks fast. Never used for other accounts. Addresses are stored as hashes.",
      ],
      [
        "Bounce feedback",
        "180 days; complaints and aggregated statistics as long as the account",
        "Addresses are stored as hashes. “Delete all feedback” on the Usage page deletes it immediately.",
      ],
      ["Webhook deliveries", "30 days", "Deleting an endpoint deletes them immediately."],
      ["Revoked keys", "Listed for 90 days", "A key's secret is never stored, only its hash."],
      ["Credits and usage", "As long as the account", "Counts per day and key, without addresses."],
    ],
  },
};
