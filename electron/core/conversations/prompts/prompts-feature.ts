import type { z } from 'zod';
import type { Prompt, promptsFile } from '#shared/contract/chat/prompts.ts';
import type { CoreContext } from '../../storage/core-context.ts';

/** Stores texts for the composer's `/` menu. */
export function promptsFeature({ db, changes, newId }: CoreContext) {
  const list = (): Promise<Prompt[]> =>
    db.selectFrom('prompts').select(['id', 'name', 'text']).orderBy('name').orderBy('id').execute();

  return {
    list,

    async save(prompt: Prompt): Promise<Prompt> {
      const { id, ...values } = prompt;
      await db
        .insertInto('prompts')
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute();
      changes.emit('prompts');
      return prompt;
    },

    async remove({ id }: { id: string }): Promise<void> {
      await db.deleteFrom('prompts').where('id', '=', id).execute();
      changes.emit('prompts');
    },

    async export(): Promise<z.infer<typeof promptsFile>> {
      const prompts = (await list()).map(({ name, text }) => ({ name, text }));
      return { format: 'portico-prompts', version: 1, prompts };
    },

    /**
     * Skips a prompt that exists with the same name and text. One with the same name and another text is added as a
     * second one.
     */
    async import({ file }: { file: z.infer<typeof promptsFile> }): Promise<{ added: number; skipped: number }> {
      const known = new Set((await list()).map(getKey));
      const fresh = file.prompts.filter((prompt) => !known.has(getKey(prompt)) && known.add(getKey(prompt)));
      await db.transaction().execute(async (tx) => {
        for (const { name, text } of fresh)
          await tx.insertInto('prompts').values({ id: newId(), name, text }).execute();
      });
      changes.emit('prompts');
      return { added: fresh.length, skipped: file.prompts.length - fresh.length };
    },
  };
}

const getKey = ({ name, text }: { name: string; text: string }): string => `${name}\n${text}`;
