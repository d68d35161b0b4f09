import { dirname } from 'node:path';

/**
 * Whether macOS runs the app from its disk image, or from a hidden copy because the downloaded app was never moved. It
 * can't be updated there.
 */
export const isTemporaryPlace = (program: string, canWrite: (folder: string) => boolean): boolean =>
  program.includes('/AppTranslocation/') || (program.startsWith('/Volumes/') && !canWrite(bundleFolder(program)));

/** Returns the folder that contains `Portico.app`, given the path `Portico.app/Contents/MacOS/Portico`. */
const bundleFolder = (program: string) => dirname(dirname(dirname(dirname(program))));
