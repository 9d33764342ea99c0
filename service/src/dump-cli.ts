/**
 * Exports, imports and migrates an installation: `npm run db -- export FILE` writes the whole database and the uploaded
 * files to a file, `npm run db -- import FILE` reads it into an empty one, `npm run db -- migrate` does what the start of a
 * service does first. The database is that of the service's settings: DATABASE_URL, or DATA_DIR for the embedded one;
 * uploaded files are in S3_BUCKET or DATA_DIR.
 */
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import type { EmbeddedPostgresEvent } from "@mailvet/embedded-postgres";
import { BadSettings } from "@mailvet/engine";
import { exportBlobs, importBlob } from "./blobs/blob-dump.ts";
import { claimBlobStore, INSTALLATION_KEY } from "./blobs/claimed-store.ts";
import { openBlobStore } from "./blobs/open-store.ts";
import { readConfig, type StorageConfig } from "./config.ts";
import { openStorage, type Storage } from "./database-storage.ts";
import {
  DumpError,
  type DumpedBlob,
  type DumpSummary,
  exportInstallation,
  importInstallation,
} from "./db/dump.ts";
import { loadEnvFile } from "./env-file.ts";
import { RESET_SLICE_NUMBERS } from "./jobs/slice-save.ts";
import { RESET_CLAIMS } from "./queue/upkeep.ts";
import { startErrorMessage } from "./start-error.ts";
import { databaseEventMessage } from "./start-message.ts";
import { UPLOADS_FOLDER } from "./uploads/upload-files.ts";

const HELP = `Usage:
  npm run db -- export FILE    write the whole installation into one file
  npm run db -- import FILE    read it into a database that is still empty
  npm run db -- migrate        bring the database to this release; the service does it too when it starts
In the container image and in an installed release the command is mailvet-db.

The database is the one that the service would use: DATABASE_URL, or the embedded one in DATA_DIR. Uploaded files are part of
the file; they are read from and written to S3_BUCKET, or the directory blobs in DATA_DIR.
Stop the service before you export the embedded database. The file holds your customers' lists: keep it safe.
`;

const [action, file, ...more] = process.argv.slice(2);
try {
  loadEnvFile(".env", process.env);
  if (action === "migrate" && file === undefined) {
    await (await open(readConfig(process.env, process.cwd()).storage)).close();
    console.log("The database is up to date.");
  } else if ((action === "export" || action === "import") && file !== undefined && more.length === 0) {
    await transfer(action, file);
  } else {
    (action === "--help" ? process.stdout : process.stderr).write(HELP);
    process.exitCode = action === "--help" ? 0 : 2;
  }
} catch (error) {
  console.error(`mailvet: ${startErrorMessage(error)}`);
  process.exitCode = error instanceof BadSettings ? 2 : 1;
}

async function transfer(action: "export" | "import", file: string): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  if (action === "export" && existsSync(file)) throw new DumpError(`${file} exists already.`);
  if (action === "import" && !existsSync(file)) throw new DumpError(`There is no file ${file}.`);
  const storage = await open(config.storage);
  try {
    const { database } = storage;
    const blobs = await openBlobStore(config.blobs);
    let blobCount = 0;
    if (action === "export") {
      await claimBlobStore(database, blobs); // not the files of another installation
      const moved = await exportTo(file, database.connection, counted(exportBlobs(blobs, [UPLOADS_FOLDER])));
      console.log(summary(`Written to ${file}`, moved, blobCount));
    } else {
      const moved = await importInstallation(database.connection, createReadStream(file), {
        afterwards: [...RESET_CLAIMS, RESET_SLICE_NUMBERS],
        putBlob: async (blob) => {
          await importBlob(blobs, blob);
          count(blob);
        },
      });
      console.log(summary(`Read from ${file}`, moved, blobCount));
    }

    async function* counted(items: AsyncIterable<DumpedBlob>): AsyncGenerator<DumpedBlob> {
      for await (const item of items) {
        yield item;
        count(item);
      }
    }

    function count({ key }: DumpedBlob): void {
      if (key !== INSTALLATION_KEY) blobCount += 1;
    }
  } finally {
    await storage.close();
  }
}

function open(config: StorageConfig): Promise<Storage> {
  const onEvent = (event: EmbeddedPostgresEvent) => console.error(databaseEventMessage(event));
  return openStorage(config, { onEvent, maxConnections: 1 });
}

/** Written under a temporary name and renamed when complete; readable by its owner only. */
async function exportTo(
  file: string,
  connection: Parameters<typeof exportInstallation>[0],
  blobs: AsyncIterable<DumpedBlob>,
): Promise<DumpSummary> {
  const unfinished = `${file}.unfinished`;
  try {
    const moved = await exportInstallation(connection, createWriteStream(unfinished, { mode: 0o600 }), blobs);
    renameSync(unfinished, file);
    return moved;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

function summary(what: string, moved: DumpSummary, blobs: number): string {
  const rows = [...moved.values()].reduce((sum, count) => sum + count, 0);
  const jobs = moved.get("jobs") ?? 0;
  return `${what}: accounts ${moved.get("accounts") ?? 0}, jobs ${jobs}, rows in all ${rows}, blobs of uploaded files ${blobs}.`;
}
