import { useId } from 'react';
import type { Provider, SavedServer } from '#shared/contract/app/providers.ts';
import { serverKinds } from '#shared/server-kinds.ts';
import { describeError } from '../../../text/error-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { fieldClass, TextField } from '../../../ui/forms/text-field.tsx';
import { unfinishedForms } from '../../../ui/forms/unfinished-forms.ts';
import { HeaderFields, ModelFields } from './server-lists.tsx';
import { useProviderCalls } from './use-provider-calls.ts';

const words = text.providers;

interface ServerFormProps {
  /** Absent: a new server. */
  provider?: Provider;
  onCancel: () => void;
  onSaved: (saved: Provider) => void;
}

const blank: SavedServer = {
  id: null,
  name: '',
  kind: 'openai-compatible',
  baseUrl: '',
  apiVersion: null,
  key: null,
  headers: [],
  models: [],
  timeoutSeconds: null,
};

const getDraft = ({ id, name, baseUrl, server }: Provider): SavedServer =>
  server
    ? {
        id,
        name,
        kind: server.kind,
        baseUrl: baseUrl ?? '',
        apiVersion: server.apiVersion,
        key: null,
        headers: server.headerNames.map((header) => ({ name: header, value: '' })),
        models: server.models,
        timeoutSeconds: server.timeoutSeconds ?? null,
      }
    : blank;

const drafts = unfinishedForms<SavedServer>(({ headers, ...draft }) => ({
  ...draft,
  key: null,
  headers: headers.map(({ name }) => ({ name, value: '' })),
}));
const getName = (provider: Provider | undefined) => provider?.id ?? 'new';

/** True if the form of this server, or of a new one, was left before it was saved. */
export const isServerFormLeft = (provider?: Provider): boolean => drafts.isLeft(getName(provider));

/** A day. */
const maxMinutes = 1_440;

/** Null for an empty field: the gateway's own limit. */
function toSeconds(minutes: string): number | null {
  const count = Math.round(Number(minutes));
  return count >= 1 ? Math.min(count, maxMinutes) * 60 : null;
}

/** A form for a named server. Secrets don't stay in the page; an empty one leaves the saved one unchanged. */
export function ServerForm({ provider, onCancel, onSaved }: ServerFormProps) {
  const form = drafts.useUnfinished(getName(provider), provider ? getDraft(provider) : blank);
  const draft = form.value;
  const { saveServer } = useProviderCalls();
  const kindId = useId();
  const change = (more: Partial<SavedServer>) => form.change({ ...draft, ...more });
  const isAzure = draft.kind === 'azure-openai';
  const failure = saveServer.isError ? describeError(saveServer.error) : null;
  const hasKey = (provider?.keys.length ?? 0) > 0;
  const complete = draft.name.trim() !== '' && draft.baseUrl.trim() !== '';
  // The form shows why it was refused.
  const save = () => form.finishAfter(saveServer.mutateAsync(trimmed(draft))).then(onSaved, () => {});
  return (
    <form
      className="mt-3 flex flex-col gap-3 rounded-menu border border-line bg-sunken p-3"
      aria-label={provider ? words.actionsFor(words.edit, provider.name) : words.addServer}
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) void save();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={words.serverName}
          autoFocus
          maxLength={60}
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <Field id={kindId} label={words.kind}>
          <select
            id={kindId}
            className={fieldClass}
            value={draft.kind}
            onChange={(event) => change({ kind: event.target.value as SavedServer['kind'], apiVersion: null })}
          >
            {serverKinds.map((kind) => (
              <option key={kind} value={kind}>
                {words.kinds[kind]}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <TextField
        label={isAzure ? words.azureUrl : words.baseUrl}
        note={isAzure ? words.azureUrlNote : words.baseUrlNote}
        type="url"
        value={draft.baseUrl}
        onChange={(event) => change({ baseUrl: event.target.value })}
      />
      {isAzure && (
        <TextField
          label={words.apiVersion}
          note={words.apiVersionNote}
          placeholder="2024-10-21"
          value={draft.apiVersion ?? ''}
          onChange={(event) => change({ apiVersion: event.target.value || null })}
        />
      )}
      <TextField
        label={hasKey ? words.newKey : isAzure ? words.key : words.optionalKey}
        note={hasKey ? words.newKeyNote : undefined}
        type="password"
        value={draft.key ?? ''}
        onChange={(event) => change({ key: event.target.value || null })}
      />
      <ModelFields models={draft.models} isAzure={isAzure} onChange={(models) => change({ models })} />
      <TextField
        label={words.timeout}
        note={words.timeoutNote}
        type="number"
        min={1}
        max={maxMinutes}
        placeholder="30"
        value={draft.timeoutSeconds ? String(Math.max(1, Math.round(draft.timeoutSeconds / 60))) : ''}
        onChange={(event) => change({ timeoutSeconds: toSeconds(event.target.value) })}
      />
      <HeaderFields
        headers={draft.headers}
        savedNames={provider?.server?.headerNames ?? []}
        onChange={(headers) => change({ headers })}
      />
      {failure && (
        <p role="alert" className="text-bad text-sm">
          {failure.sentence} {failure.remedy}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" disabled={!complete || saveServer.isPending}>
          {saveServer.isPending ? words.checking : words.save}
        </Button>
        <Button onClick={form.giveUp(onCancel)}>{text.cancel}</Button>
      </div>
    </form>
  );
}

/** Removes empty rows. */
const trimmed = (draft: SavedServer): SavedServer => ({
  ...draft,
  name: draft.name.trim(),
  baseUrl: draft.baseUrl.trim(),
  key: draft.key?.trim() || null,
  apiVersion: draft.apiVersion?.trim() || null,
  headers: draft.headers
    .filter(({ name }) => name.trim() !== '')
    .map(({ name, value }) => ({ name: name.trim(), value })),
  models: draft.models.filter(({ model }) => model.trim() !== ''),
});
