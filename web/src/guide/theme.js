/**
 * Sets the colour scheme before the page is painted, so it is a script of its own that blocks. Shares the choice, and the
 * attribute, with the web app (Mantine).
 */
const KEY = "mantine-color-scheme-value";
const isDark = window.matchMedia("(prefers-color-scheme: dark)");

function applyTheme() {
  let chosen = "auto";
  try {
    chosen = localStorage.getItem(KEY) ?? "auto";
  } catch {} // storage is disabled
  const scheme = chosen === "auto" ? (isDark.matches ? "dark" : "light") : chosen;
  document.documentElement.dataset.mantineColorScheme = scheme;
}

applyTheme();
isDark.addEventListener("change", applyTheme);
addEventListener("storage", applyTheme);
