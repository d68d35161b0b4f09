import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id } from '../common/fields.ts';

/** A saved prompt for the composer's `/` menu. `{{name}}` is a variable whose value the user enters on use. */
export const prompt = z.object({
  id,
  name: z.string().trim().min(1).max(80),
  text: z.string().min(1).max(100_000),
});

const fields = prompt.omit({ id: true });

/** The export format of prompts. */
export const promptsFile = z.object({
  format: z.literal('portico-prompts'),
  version: z.literal(1),
  prompts: z.array(fields).max(2000),
});

export const promptsContract = {
  /** Sorted by name. */
  list: oc.output(z.array(prompt)),
  /** Creates or replaces the prompt with this id. */
  save: oc.input(prompt).output(prompt),
  remove: oc.input(z.object({ id })).output(z.void()),
  export: oc.output(promptsFile),
  /** Imports the prompts that don't exist yet, and returns the counts. */
  import: oc
    .input(z.object({ file: promptsFile }))
    .output(z.object({ added: z.int().nonnegative(), skipped: z.int().nonnegative() })),
};

export type Prompt = z.infer<typeof prompt>;
