import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id, modelId } from '../common/fields.ts';
import { parameters } from './options.ts';

/** A way to begin a chat: who answers, in which role, with which parameters. */
export const preset = z.object({
  id,
  name: z.string().trim().min(1).max(80),
  system: z.string().max(200_000),
  /** Null leaves the model as it is. */
  model: modelId.nullable(),
  parameters,
  /** New chats begin with it; at most one does. */
  forNewChats: z.boolean(),
});

const fields = preset.omit({ id: true, forNewChats: true });

export const presetsFile = z.object({
  format: z.literal('portico-presets'),
  version: z.literal(1),
  presets: z.array(fields).max(500),
});

export const presetsContract = {
  /** By name. */
  list: oc.output(z.array(preset)),
  /** Adds a preset, or replaces the one with this id. */
  save: oc.input(preset).output(preset),
  remove: oc.input(z.object({ id })).output(z.void()),
  export: oc.output(presetsFile),
  /** Adds those of the file that are not here already, and says how many of each. */
  import: oc
    .input(z.object({ file: presetsFile }))
    .output(z.object({ added: z.int().nonnegative(), skipped: z.int().nonnegative() })),
};

export type Preset = z.infer<typeof preset>;
