import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { chatKey } from '../chat/drafts.ts';

/** Topics of changes, named after the contract’s features. */
export const topic = z.enum([
  'settings',
  'conversations',
  'messages',
  'models',
  'providers',
  'gateway',
  // Another account pays: what was read of the one before is not its.
  'payer',
  'account',
  'tools',
  'app',
  'queue',
  'options',
  'prompts',
  'presets',
  'caps',
  'context',
  'drafts',
  'backups',
  'network',
  'updates',
]);

export const changesContract = {
  /** A stream per window, which writes the draft of this new chat. Says what has changed, never what to do. */
  watch: oc
    .input(z.object({ newChat: chatKey }).optional())
    .output(eventIterator(z.object({ topics: z.array(topic) }))),
};

export type Topic = z.infer<typeof topic>;
