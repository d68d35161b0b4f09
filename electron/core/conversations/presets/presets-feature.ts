import type { z } from 'zod';
import {
  type NamedPreset,
  type Preset,
  preset as presetSchema,
  type presetsFile,
} from '#shared/contract/chat/presets.ts';
import type { DescribeModel } from '../../gateways/connection/model-facts.ts';
import type { CoreContext } from '../../storage/core-context.ts';

export interface PresetsDeps extends CoreContext {
  readonly modelFacts: DescribeModel;
}

type Fields = Omit<Preset, 'id' | 'forNewChats'>;

const stored = presetSchema.omit({ id: true, forNewChats: true });

/** Stores presets. A preset is a system prompt, a model and parameters under a name. */
export function presetsFeature({ db, modelFacts, changes, newId }: PresetsDeps) {
  async function list(): Promise<Preset[]> {
    const rows = await db.selectFrom('presets').selectAll().orderBy('name').orderBy('id').execute();
    return rows.map((row) => ({
      id: row.id,
      ...stored.parse(JSON.parse(row.value)),
      forNewChats: row.for_new_chats === 1,
    }));
  }

  const getName = (id: string) => modelFacts(id)?.name ?? id;

  return {
    list: async (): Promise<NamedPreset[]> =>
      (await list()).map((preset) => ({ ...preset, modelName: preset.model && getName(preset.model) })),

    async save(preset: Preset): Promise<Preset> {
      const { id, forNewChats, ...fields } = preset;
      const values = { name: fields.name, value: JSON.stringify(fields), for_new_chats: forNewChats ? 1 : 0 };
      await db.transaction().execute(async (tx) => {
        if (forNewChats) await tx.updateTable('presets').set({ for_new_chats: 0 }).execute();
        await tx
          .insertInto('presets')
          .values({ id, ...values })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
          .execute();
      });
      changes.emit('presets', 'options');
      return preset;
    },

    async remove({ id }: { id: string }): Promise<void> {
      await db.deleteFrom('presets').where('id', '=', id).execute();
      changes.emit('presets', 'options');
    },

    async export(): Promise<z.infer<typeof presetsFile>> {
      return { format: 'portico-presets', version: 1, presets: (await list()).map(getFields) };
    },

    async import({ file }: { file: z.infer<typeof presetsFile> }): Promise<{ added: number; skipped: number }> {
      const known = new Set((await list()).map((preset) => JSON.stringify(getFields(preset))));
      const fresh = file.presets.map(getFields).filter((fields) => {
        const key = JSON.stringify(fields);
        return !known.has(key) && known.add(key);
      });
      await db.transaction().execute(async (tx) => {
        for (const fields of fresh) {
          const row = { id: newId(), name: fields.name, value: JSON.stringify(fields), for_new_chats: 0 };
          await tx.insertInto('presets').values(row).execute();
        }
      });
      changes.emit('presets');
      return { added: fresh.length, skipped: file.presets.length - fresh.length };
    },
  };
}

const getFields = ({ name, system, model, parameters, router }: Fields): Fields => ({
  name,
  system,
  model,
  parameters,
  router,
});
