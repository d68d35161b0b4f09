import { oc } from '@orpc/contract';
import { z } from 'zod';
import { languages } from '../../language/messages.ts';
import { modelId } from '../common/fields.ts';

export const settings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  language: z.enum(languages),
  density: z.enum(['comfortable', 'compact']),
  /** `enter`: Enter sends, Shift+Enter breaks the line. `mod_enter`: the other way round, with Ctrl or Cmd. */
  sendWith: z.enum(['enter', 'mod_enter']),
  /** Default model for new chats. */
  model: modelId,
  /** The first-run card was closed. */
  welcomed: z.boolean(),
  /** Show and confirm the router’s choice before sending. */
  confirmRoute: z.boolean(),
});

export const settingsContract = {
  get: oc.output(settings),
  /** Changes these settings; returns all. */
  update: oc.input(settings.partial()).output(settings),
};

export type Settings = z.infer<typeof settings>;
