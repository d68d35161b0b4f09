import { type ReactNode, useState } from 'react';
import type { Preset } from '#shared/contract/chat/presets.ts';
import type { Prompt } from '#shared/contract/chat/prompts.ts';
import { useModels } from '../../api/use-core.ts';
import { text } from '../../text/settings-text.ts';
import { Form } from '../../ui/forms/form.tsx';
import { Switch } from '../../ui/forms/switch.tsx';
import { TextArea } from '../../ui/forms/text-area.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { ParameterFields } from '../drafts/options/parameter-fields.tsx';
import { isComplete, RouterFields } from '../drafts/options/router-fields.tsx';
import { ModelSelect } from '../models/picker/model-select.tsx';

const { library } = text;

interface FormProps {
  busy: boolean;
  onCancel: () => void;
}

interface NamedFormProps extends FormProps {
  name: string;
  ready?: boolean;
  onName: (name: string) => void;
  onSave: () => void;
  children: ReactNode;
}

function NamedForm({ name, ready = true, onName, children, ...form }: NamedFormProps) {
  return (
    <Form saveLabel={library.save} cancelLabel={text.cancel} ready={ready && name.trim() !== ''} {...form}>
      <TextField
        label={library.name}
        value={name}
        maxLength={80}
        autoFocus
        onChange={(event) => onName(event.target.value)}
      />
      {children}
    </Form>
  );
}

export function PromptForm({
  prompt,
  onSave,
  ...form
}: FormProps & { prompt: Prompt; onSave: (prompt: Prompt) => void }) {
  const [draft, setDraft] = useState(prompt);
  return (
    <NamedForm
      {...form}
      name={draft.name}
      ready={draft.text.trim() !== ''}
      onName={(name) => setDraft({ ...draft, name })}
      onSave={() => onSave(draft)}
    >
      <TextArea
        label={library.prompt}
        note={library.promptsNote}
        value={draft.text}
        maxLength={100_000}
        onChange={(event) => setDraft({ ...draft, text: event.target.value })}
      />
    </NamedForm>
  );
}

export function PresetForm({
  preset,
  onSave,
  ...form
}: FormProps & { preset: Preset; onSave: (preset: Preset) => void }) {
  const [draft, setDraft] = useState(preset);
  const models = useModels().data?.models ?? [];
  const record = models.find((model) => model.id === draft.model);
  return (
    <NamedForm
      {...form}
      name={draft.name}
      ready={isComplete(draft.router)}
      onName={(name) => setDraft({ ...draft, name })}
      onSave={() => onSave(draft)}
    >
      <TextArea
        label={library.system}
        value={draft.system}
        maxLength={200_000}
        onChange={(event) => setDraft({ ...draft, system: event.target.value })}
      />
      <ModelSelect
        label={library.model}
        none={library.anyModel}
        value={draft.model}
        onChange={(model) => setDraft({ ...draft, model })}
      />
      <ParameterFields
        value={draft.parameters}
        supported={record?.supported_parameters ?? null}
        onChange={(parameters) => setDraft({ ...draft, parameters })}
      />
      <RouterFields value={draft.router} onChange={(router) => setDraft({ ...draft, router })} />
      <div className="flex items-center gap-3">
        <p className="flex-1 font-medium text-sm">{library.forNewChats}</p>
        <Switch
          label={library.forNewChats}
          checked={draft.forNewChats}
          onChange={(forNewChats) => setDraft({ ...draft, forNewChats })}
        />
      </div>
    </NamedForm>
  );
}
