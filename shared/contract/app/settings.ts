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
  /** The model a new chat starts with. */
  model: modelId,
  /** The first-run card has been answered. */
  welcomed: z.boolean(),
  /** Before anything is asked of the router, what it would choose is shown and confirmed. */
  confirmRoute: z.boolean(),
});

export const settingsContract = {
  get: oc.output(settings),
  /** Changes the named settings and answers with all of them. */
  update: oc.input(settings.partial()).output(settings),
};

export type Settings = z.infer<typeof settings>;
