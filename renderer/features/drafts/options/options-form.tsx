import { useState } from 'react';
import type { NamedOptions as Options } from '#shared/contract/chat/options.ts';
import type { Preset } from '#shared/contract/chat/presets.ts';
import type { Model } from '#shared/wire/model.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { IgnoredModels } from './ignored-models.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import { isComplete, RouterFields } from './router-fields.tsx';
import { SummariseSwitch } from './summarise-switch.tsx';
import { useOptions, usePresets } from './use-options.ts';

interface OptionsFormProps {
  chat: string;
  model: Model | null;
  onModel: (model: string) => void;
  options: Options;
  onDone: () => void;
}

export function OptionsForm({ chat, options, model, onModel, onDone }: OptionsFormProps) {
  const [draft, setDraft] = useState(options);
  /** The React key of the fields, changed to remount them after a preset was applied. */
  const [filled, setFilled] = useState(0);
  const { set } = useOptions(chat);
  const { failed } = useNotify();
  const save = () => set.mutate(draft, { onSuccess: onDone, onError: (error) => failed(text.optionsNotKept, error) });
  const take = (preset: Preset) => {
    setDraft({ ...draft, system: preset.system, parameters: preset.parameters, router: preset.router });
    setFilled(filled + 1);
    if (preset.model) onModel(preset.model);
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete(draft.router)) save();
      }}
    >
      <PresetRow onTake={take} />
      <TextArea
        label={text.system}
        note={text.systemNote}
        value={draft.system}
        maxLength={200_000}
        onChange={(event) => setDraft({ ...draft, system: event.target.value })}
      />
      <ParameterFields
        key={filled}
        value={draft.parameters}
        supported={model?.supported_parameters ?? null}
        onChange={(parameters) => setDraft({ ...draft, parameters })}
      />
      <div className="flex flex-col items-start gap-1">
        <p className="font-medium text-fg-2 text-xs">{text.overflow}</p>
        <Segmented
          label={text.overflow}
          value={draft.overflow}
          options={(['stop', 'drop', 'compact'] as const).map((value) => ({ value, label: text.overflows[value] }))}
          onChange={(overflow) => setDraft({ ...draft, overflow })}
        />
        <p className="text-fg-3 text-xs">{text.overflowNotes[draft.overflow]}</p>
        <SummariseSwitch value={draft.summarise} onChange={(summarise) => setDraft({ ...draft, summarise })} />
      </div>
      <RouterFields value={draft.router} onChange={(router) => setDraft({ ...draft, router })} />
      <IgnoredModels value={draft.ignore} names={draft.names} onChange={(ignore) => setDraft({ ...draft, ignore })} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button variant="primary" type="submit" disabled={set.isPending || !isComplete(draft.router)}>
          {text.save}
        </Button>
      </div>
    </form>
  );
}

function PresetRow({ onTake }: { onTake: (preset: Preset) => void }) {
  const presets = usePresets();
  return (
    <div className="flex flex-wrap items-center gap-2">
      {presets.data?.map((preset) => (
        <Button key={preset.id} onClick={() => onTake(preset)}>
          {preset.name}
        </Button>
      ))}
      <Link to={{ page: 'settings', section: 'prompts' }} className="text-accent text-sm">
        {presets.data?.length ? text.editPresets : text.makePresets}
      </Link>
    </div>
  );
}
