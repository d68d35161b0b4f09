import { accessSync, constants } from 'node:fs';
import { app, dialog } from 'electron';
import { failureEntry, type Log } from '#core/runtime/log/log.ts';
import type { MainText } from './main-text.ts';
import { isTemporaryPlace } from './temporary-place.ts';

function canWriteTo(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the app runs from a place where it can't be updated. */
export const canMove = (): boolean =>
  process.platform === 'darwin' && app.isPackaged && isTemporaryPlace(process.execPath, canWriteTo);

/** Offers to move the app to the Applications folder. Returns true if it was moved; it then starts again from there. */
export async function offerToMove(text: MainText, log: Log): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    message: text.move.question,
    detail: text.move.why,
    buttons: [text.move.toApplications, text.move.notNow],
    defaultId: 0,
    cancelId: 1,
  });
  if (response !== 0) return false;
  try {
    // An existing app there is an older version, or the same.
    return app.moveToApplicationsFolder({ conflictHandler: (conflict) => conflict === 'exists' });
  } catch (error) {
    log({ event: 'move_to_applications_failed', ...failureEntry(error) });
    dialog.showErrorBox('Portico', text.move.failed);
    return false;
  }
}
