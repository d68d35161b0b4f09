import { saveFile } from '../../browser/save-file.ts';

/** Downloads a value as a JSON file. */
export function downloadJson(name: string, value: unknown): void {
  saveFile(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }), name);
}

/** Parses a file; undefined if it is not JSON. */
export async function readJson(file: File): Promise<unknown> {
  try {
    return JSON.parse(await file.text());
  } catch {
    // The caller’s schema refuses it, like any other wrong file.
    return undefined;
  }
}
