/** Paths of the files uploaded to the console: beside the database, each with a file of its rejected rows. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";

export class ImportFiles {
  readonly directory: string;

  constructor(database: string) {
    this.directory = join(dirname(database), "imports");
  }

  fileOf(id: number): string {
    return join(this.directory, `${id}.csv`);
  }

  errorsOf(id: number): string {
    return `${this.fileOf(id)}.errors.csv`;
  }

  /** Does nothing if the files do not exist. */
  remove(id: number): void {
    rmSync(this.fileOf(id), { force: true });
    rmSync(this.errorsOf(id), { force: true });
  }
}
