import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import type { RecoveryOffer } from '#core/storage/database/recovery.ts';
import { menuPlace, zoomStep } from '#shared/contract/app/app.ts';
import { networkSettings } from '#shared/contract/app/network.ts';
import { settings } from '#shared/contract/app/settings.ts';
import { updateState } from '#shared/contract/app/updates.ts';
import { problemText } from '#shared/contract/common/fields.ts';
import type { VisibleLine } from '#shared/visible.ts';

const recoveryOffer: z.ZodType<RecoveryOffer> = z.object({
  of: z.enum(['chats', 'ledger']),
  fault: z.enum(['damaged', 'foreign', 'newer', 'unreadable']),
  backupAt: z.number().nullable(),
});
const line = z.custom<VisibleLine>((value) => typeof value === 'string' && value.length <= 256);
const { theme, language, shortcuts, spellCheck, keepRunning, checkUpdates } = settings.shape;
const account = z.string().min(1).max(256);
const item = z.object({ account, secret: z.string().max(1_048_576) });

/**
 * All calls that the core's process may make to the main process: whatever needs windows, and the keychain. Every
 * change needs a security review, as with the renderer's contract.
 */
export const mainContract = {
  /**
   * `failure` is null if the core is open. Otherwise it explains why it can't be opened, and `offer` contains the
   * options if the database is the cause.
   */
  opened: oc.input(z.object({ failure: problemText.nullable(), offer: recoveryOffer.nullable() })).output(z.void()),
  openExternal: oc.input(z.object({ url: z.string().max(8192) })).output(z.void()),
  confirm: oc
    .input(
      z.object({
        title: z.string().max(256),
        advice: z.string().max(2048),
        facts: z.array(z.object({ label: z.string().max(256), lines: z.array(line) })),
        yes: z.string().max(64),
        no: z.string().max(64),
        language,
      }),
    )
    .output(z.boolean()),
  showSettings: oc
    .input(z.object({ theme, language, shortcuts, spellCheck, keepRunning, checkUpdates }))
    .output(z.void()),
  /** The proxy for the main process's own requests. */
  showProxy: oc
    .input(
      networkSettings
        .pick({ proxy: true, address: true, username: true, bypass: true })
        .extend({ password: z.string().max(4096).nullable() }),
    )
    .output(z.void()),
  openWindow: oc.output(z.void()),
  quickWindow: {
    /** Returns false if another program has the keys or the system doesn't know them. */
    setKeys: oc.input(z.object({ keys: z.string().max(40).nullable() })).output(z.boolean()),
    hide: oc.output(z.void()),
    continueInMain: oc.input(z.object({ conversationId: z.string().max(64).nullable() })).output(z.void()),
  },
  updates: {
    follow: oc.output(eventIterator(updateState)),
    check: oc.output(z.void()),
    install: oc.output(z.void()),
    postpone: oc.output(z.void()),
  },
  notify: oc
    .input(
      z.object({
        conversationId: z.string().max(64),
        messageId: z.string().max(64),
        failed: z.boolean(),
        title: z.string().max(1024).nullable(),
      }),
    )
    .output(z.void()),
  /** Reports how many answers are running. */
  showRunning: oc.input(z.object({ answers: z.int().nonnegative() })).output(z.void()),
  showMenu: oc.input(menuPlace).output(z.void()),
  zoom: oc.input(z.object({ to: zoomStep })).output(z.void()),
  /** The proxy for an origin by the system's settings and scripts. Null if there is none. */
  proxyFor: oc.input(z.object({ origin: z.string().max(2048) })).output(z.string().nullable()),
  /** Returns the path of a file that the system opened with the app, once per id. */
  openedFile: oc.input(z.object({ fileId: z.string().max(64) })).output(z.string().nullable()),
  askWhere: oc.input(z.object({ name: z.string().max(1024) })).output(z.string().nullable()),
  /** Blobs, because they aren't serialised: a long chat has many megabytes. */
  printPdf: oc.input(z.instanceof(Blob)).output(z.instanceof(Blob)),
  /** The keychain's entries of Portico only. */
  secrets: {
    get: oc.input(z.object({ account })).output(z.string().nullable()),
    set: oc.input(item).output(z.void()),
    remove: oc.input(z.object({ account })).output(z.void()),
  },
  /** Secrets that the keychain doesn't accept. Here they survive a crash of the core. */
  session: {
    all: oc.output(z.array(item)),
    set: oc.input(item).output(z.void()),
    remove: oc.input(z.object({ account })).output(z.void()),
  },
};
