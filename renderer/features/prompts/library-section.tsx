import { useState } from 'react';
import { ulid } from 'ulid';
import { noParameters, noRouterOptions } from '#shared/contract/chat/options.ts';
import { type Preset, presetsFile } from '#shared/contract/chat/presets.ts';
import { type Prompt, promptsFile } from '#shared/contract/chat/prompts.ts';
import { text } from '../../text/settings-text.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { SectionTitle } from '../../ui/forms/setting-row.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { usePresetCalls, usePresets } from '../drafts/options/use-options.ts';
import { downloadJson, readJson } from './json-file.ts';
import { PresetForm, PromptForm } from './library-forms.tsx';
import { LibraryList } from './library-list.tsx';
import { usePromptCalls, usePrompts } from './use-prompts.ts';

const { library } = text;

/** Saved prompts and presets. */
export function LibrarySection() {
  return (
    <>
      <SectionTitle>{text.sections.prompts}</SectionTitle>
      <Prompts />
      <Presets />
    </>
  );
}

const isKnown = (all: readonly { id: string }[] | undefined, one: { id: string } | null): boolean =>
  all?.some(({ id }) => id === one?.id) ?? false;

function Prompts() {
  const prompts = usePrompts();
  const { save, remove, exportAll, importFile } = usePromptCalls();
  const { say, failed } = useNotify();
  const [editing, setEditing] = useState<Prompt | null>(null);
  const onError = (error: Error) => failed(library.notSaved, error);
  const take = async (file: File) => {
    const parsed = promptsFile.safeParse(await readJson(file));
    if (!parsed.success) return say(library.notImported, library.wrongFile);
    importFile.mutate(parsed.data, {
      onSuccess: ({ added, skipped }) => say(library.imported(added, skipped)),
      onError: (error) => failed(library.notImported, error),
    });
  };
  if (prompts.isError)
    return <Failure title={library.failed} error={prompts.error} onRetry={() => void prompts.refetch()} />;
  return (
    <LibraryList
      title={library.prompts}
      note={library.promptsNote}
      empty={library.noPrompts}
      add={library.addPrompt}
      entries={(prompts.data ?? []).map((prompt) => ({ ...prompt, note: prompt.text, badge: null }))}
      onAdd={() => setEditing({ id: ulid(), name: '', text: '' })}
      onEdit={(id) => setEditing(prompts.data?.find((prompt) => prompt.id === id) ?? null)}
      onRemove={(id) => remove.mutate(id, { onError })}
      onExport={() =>
        exportAll.mutate(undefined, { onSuccess: (file) => downloadJson('portico-prompts.json', file), onError })
      }
      onImport={(file) => void take(file)}
    >
      <Dialog
        open={editing !== null}
        onOpenChange={(open) => !open && setEditing(null)}
        title={isKnown(prompts.data, editing) ? library.editPrompt : library.addPrompt}
      >
        {editing && (
          <PromptForm
            prompt={editing}
            busy={save.isPending}
            onCancel={() => setEditing(null)}
            onSave={(prompt) => save.mutate(prompt, { onSuccess: () => setEditing(null), onError })}
          />
        )}
      </Dialog>
    </LibraryList>
  );
}

function Presets() {
  const presets = usePresets();
  const { save, remove, exportAll, importFile } = usePresetCalls();
  const { say, failed } = useNotify();
  const [editing, setEditing] = useState<Preset | null>(null);
  const onError = (error: Error) => failed(library.notSaved, error);
  const take = async (file: File) => {
    const parsed = presetsFile.safeParse(await readJson(file));
    if (!parsed.success) return say(library.notImported, library.wrongFile);
    importFile.mutate(parsed.data, {
      onSuccess: ({ added, skipped }) => say(library.imported(added, skipped)),
      onError: (error) => failed(library.notImported, error),
    });
  };
  if (presets.isError)
    return <Failure title={library.failed} error={presets.error} onRetry={() => void presets.refetch()} />;
  return (
    <LibraryList
      title={library.presets}
      note={library.presetsNote}
      empty={library.noPresets}
      add={library.addPreset}
      entries={(presets.data ?? []).map(({ id, name, system, modelName, forNewChats }) => ({
        id,
        name,
        note: [modelName, system.slice(0, 120)].filter(Boolean).join(' · '),
        badge: forNewChats ? library.newChats : null,
      }))}
      onAdd={() =>
        setEditing({
          id: ulid(),
          name: '',
          system: '',
          model: null,
          parameters: noParameters,
          router: noRouterOptions,
          forNewChats: false,
        })
      }
      onEdit={(id) => setEditing(presets.data?.find((preset) => preset.id === id) ?? null)}
      onRemove={(id) => remove.mutate(id, { onError })}
      onExport={() =>
        exportAll.mutate(undefined, { onSuccess: (file) => downloadJson('portico-presets.json', file), onError })
      }
      onImport={(file) => void take(file)}
    >
      <Dialog
        open={editing !== null}
        onOpenChange={(open) => !open && setEditing(null)}
        title={isKnown(presets.data, editing) ? library.editPreset : library.addPreset}
        width="wide"
      >
        {editing && (
          <PresetForm
            preset={editing}
            busy={save.isPending}
            onCancel={() => setEditing(null)}
            onSave={(preset) => save.mutate(preset, { onSuccess: () => setEditing(null), onError })}
          />
        )}
      </Dialog>
    </LibraryList>
  );
}
