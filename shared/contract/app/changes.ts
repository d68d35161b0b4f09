import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';

/** What can change under a reader. Named after the contract's features. */
export const topic = z.enum([
  'settings',
  'conversations',
  'messages',
  'models',
  'providers',
  'gateway',
  'account',
  'tools',
  'app',
  'queue',
  'options',
  'prompts',
  'presets',
  'caps',
  'context',
  'backups',
]);

export const changesContract = {
  /** One stream per window, left open. Says what has changed, never what to do. */
  watch: oc.output(eventIterator(z.object({ topics: z.array(topic) }))),
};

export type Topic = z.infer<typeof topic>;
