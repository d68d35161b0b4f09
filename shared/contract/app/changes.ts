import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { chatKey } from '../chat/drafts.ts';

/** Topics of changes, named after the features of the contract. */
export const topic = z.enum([
  'settings',
  'conversations',
  'messages',
  'models',
  'providers',
  'gateway',
  // Another account pays from now on: what was read of the previous account no longer applies.
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
  /**
   * Streams the topics that have changed. Each window opens one stream, and names its new chat, whose draft it owns.
   */
  watch: oc
    .input(z.object({ newChat: chatKey }).optional())
    .output(eventIterator(z.object({ topics: z.array(topic) }))),
};

export type Topic = z.infer<typeof topic>;
