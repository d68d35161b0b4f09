import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id } from '../common/fields.ts';

/** A saved text for the composer's `/` menu. `{{name}}` in it is a variable, asked for when it is used. */
export const prompt = z.object({
  id,
  name: z.string().trim().min(1).max(80),
  text: z.string().min(1).max(100_000),
});

const fields = prompt.omit({ id: true });

/** The file that carries prompts to another computer. */
export const promptsFile = z.object({
  format: z.literal('portico-prompts'),
  version: z.literal(1),
  prompts: z.array(fields).max(2000),
});

export const promptsContract = {
  /** By name. */
  list: oc.output(z.array(prompt)),
  /** Adds a prompt, or replaces the one with this id. */
  save: oc.input(prompt).output(prompt),
  remove: oc.input(z.object({ id })).output(z.void()),
  export: oc.output(promptsFile),
  /** Adds those of the file that are not here already, and says how many of each. */
  import: oc
    .input(z.object({ file: promptsFile }))
    .output(z.object({ added: z.int().nonnegative(), skipped: z.int().nonnegative() })),
};

export type Prompt = z.infer<typeof prompt>;
