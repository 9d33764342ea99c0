/**
 * Mailvet in Google Sheets: a custom function and a menu. Paste into Extensions → Apps Script.
 *
 *   =MAILVET(A2:A100)              the status of each address
 *   =MAILVET(A2:A100, "score")     another field: sub_status, recommendation, suggestion …
 *
 * Addresses are sent 1,000 per request, each one once; results are cached for six hours, unknown ones for ten minutes.
 * URL and key are in the script properties, which every editor of the spreadsheet can read: use a key of its own.
 */

const BATCH = 1000;
/** Limits of CacheService and of a custom function, in seconds. */
const CACHE_SECONDS = 21600;
const UNKNOWN_CACHE_SECONDS = 600;
const TIMEOUT_SECONDS = 20;
/** Keys in one call of CacheService. */
const CACHE_BATCH = 100;
const COLUMNS = ["status", "sub_status", "recommendation", "score", "suggestion"];

// biome-ignore lint/correctness/noUnusedVariables: called by Sheets
function onOpen() {
  SpreadsheetApp.getUi()
    .createMenu("Mailvet")
    .addItem("Check selected column", "checkSelection")
    .addSeparator()
    .addItem("Settings…", "askSettings")
    .addToUi();
}

/**
 * Checks email addresses with Mailvet.
 *
 * @param {A2:A100} emails One address, or a range of them.
 * @param {"status"} field Optional: the field of the result. Default: status.
 * @return The field of each address; empty for an empty cell.
 * @customfunction
 */
// biome-ignore lint/correctness/noUnusedVariables: called by Sheets
function MAILVET(emails, field) {
  const name = field || "status";
  if (!Array.isArray(emails)) return fieldOf(resultsFor([emails]), emails, name);
  const results = resultsFor(emails.flat());
  return emails.map((row) => row.map((cell) => fieldOf(results, cell, name)));
}

/** Menu: writes the columns of the results to the right of the selected column. */
// biome-ignore lint/correctness/noUnusedVariables: called by Sheets
function checkSelection() {
  const range = SpreadsheetApp.getActiveRange();
  if (range.getNumColumns() !== 1) {
    SpreadsheetApp.getUi().alert("Select the cells with the addresses, in one column.");
    return;
  }
  const cells = range.getValues().map((row) => row[0]);
  const results = resultsFor(cells);
  const values = cells.map((cell) => COLUMNS.map((name) => fieldOf(results, cell, name)));
  range.offset(0, 1, values.length, COLUMNS.length).setValues(values);
}

/** Menu: asks for the URL of the service and for a key. */
// biome-ignore lint/correctness/noUnusedVariables: called by Sheets
function askSettings() {
  const ui = SpreadsheetApp.getUi();
  const properties = PropertiesService.getScriptProperties();
  for (const [name, question] of [
    ["MAILVET_SERVICE", "URL of your Mailvet service, such as https://mailvet.example.com"],
    ["MAILVET_API_KEY", "API key, from the Keys page of the service"],
  ]) {
    const answer = ui.prompt("Mailvet", question, ui.ButtonSet.OK_CANCEL);
    if (answer.getSelectedButton() !== ui.Button.OK) return;
    properties.setProperty(name, answer.getResponseText().trim());
  }
}

/** Results by address in lower case: from the cache, and from the service for the rest. */
function resultsFor(cells) {
  const emails = [...new Set(cells.map(keyOf).filter((key) => key !== ""))];
  const cache = CacheService.getScriptCache();
  const results = readCache(cache, emails);
  const open = emails.filter((email) => !results.has(email));
  for (let at = 0; at < open.length; at += BATCH) {
    const part = open.slice(at, at + BATCH);
    const found = fetchResults(part);
    for (const result of found) results.set(keyOf(result.email), result);
    // Other spellings of a mailbox in the same request ("ann"@… is ann@…) have no result of their own.
    for (const email of part.filter((one) => !results.has(one))) {
      const [result] = fetchResults([email]);
      results.set(email, result);
      found.push(result);
    }
    writeCache(cache, found);
  }
  return results;
}

function fetchResults(emails) {
  const properties = PropertiesService.getScriptProperties();
  const service = properties.getProperty("MAILVET_SERVICE");
  const key = properties.getProperty("MAILVET_API_KEY");
  if (!service || !key) throw new Error("Mailvet: enter URL and key first: menu Mailvet → Settings.");
  const response = UrlFetchApp.fetch(`${service.replace(/\/+$/, "")}/api/v1/validation/bulk`, {
    method: "post",
    contentType: "application/json",
    headers: { "X-API-Key": key },
    payload: JSON.stringify({ emails, timeout_seconds: TIMEOUT_SECONDS }),
    muteHttpExceptions: true,
  });
  const text = response.getContentText();
  if (response.getResponseCode() !== 200) throw new Error(`Mailvet: ${problemText(text)}`);
  return JSON.parse(text).results;
}

function problemText(text) {
  try {
    return JSON.parse(text).detail || text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}

function fieldOf(results, cell, name) {
  const key = keyOf(cell);
  if (key === "") return "";
  const result = results.get(key);
  if (!result) return "";
  if (!(name in result)) throw new Error(`Mailvet: there is no field "${name}".`);
  return result[name] ?? "";
}

const keyOf = (cell) =>
  String(cell ?? "")
    .trim()
    .toLowerCase();

/** Cache keys are at most 250 characters long, which an address may exceed. The default charset is ASCII, in which é and ü are "?". */
function cacheKeyOf(email) {
  const digest = Utilities.computeDigest(Utilities.DigestAlgorithm.SHA_256, email, Utilities.Charset.UTF_8);
  return `mailvet-${Utilities.base64Encode(digest)}`;
}

function readCache(cache, emails) {
  const results = new Map();
  for (let at = 0; at < emails.length; at += CACHE_BATCH) {
    const part = emails.slice(at, at + CACHE_BATCH);
    const stored = cache.getAll(part.map(cacheKeyOf));
    for (const email of part) {
      const text = stored[cacheKeyOf(email)];
      if (text) results.set(email, JSON.parse(text));
    }
  }
  return results;
}

function writeCache(cache, found) {
  for (const [isUnknown, seconds] of [
    [false, CACHE_SECONDS],
    [true, UNKNOWN_CACHE_SECONDS],
  ]) {
    const some = found.filter(({ status }) => (status === "unknown") === isUnknown);
    for (let at = 0; at < some.length; at += CACHE_BATCH) {
      const part = some.slice(at, at + CACHE_BATCH);
      const entries = part.map((result) => [cacheKeyOf(keyOf(result.email)), JSON.stringify(result)]);
      cache.putAll(Object.fromEntries(entries), seconds);
    }
  }
}
