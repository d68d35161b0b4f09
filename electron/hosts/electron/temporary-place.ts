import { dirname } from 'node:path';

/**
 * Whether macOS runs the program out of its disk image, or out of a hidden copy because its downloaded file was never moved. Nothing can be
 * updated there.
 */
export const isTemporaryPlace = (program: string, canWrite: (folder: string) => boolean): boolean =>
  program.includes('/AppTranslocation/') || (program.startsWith('/Volumes/') && !canWrite(bundleFolder(program)));

/** `Portico.app/Contents/MacOS/Portico` lies in it. */
const bundleFolder = (program: string) => dirname(dirname(dirname(dirname(program))));
