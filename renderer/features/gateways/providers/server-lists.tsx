import { Trash2 } from 'lucide-react';
import type { SavedServer, ServerModel } from '#shared/contract/app/providers.ts';
import { useModels } from '../../../api/use-core.ts';
import { utcDay } from '../../../text/format.ts';
import { text as modelsText } from '../../../text/models-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

const words = text.providers;

interface ModelFieldsProps {
  models: readonly ServerModel[];
  isAzure: boolean;
  /** Explains why models are named, if they aren't those of an own server. */
  note?: string;
  onChange: (models: ServerModel[]) => void;
}

export const newModel: ServerModel = {
  model: '',
  sameAs: null,
  input: null,
  output: null,
  cached: null,
  pricedOn: null,
};
const suggestions = 'known-models';

/** The models of a server: deployments, or models that it does not list, with their facts and prices. */
export function ModelFields({ models, isAzure, note, onChange }: ModelFieldsProps) {
  const known = useModels().data?.models.filter(({ owned_by }) => ['openai', 'anthropic', 'google'].includes(owned_by));
  const row = isAzure ? words.rows.deployment : words.rows.model;
  const change = (position: number, more: Partial<ServerModel>) =>
    onChange(models.map((model, index) => (index === position ? { ...model, ...more } : model)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-fg-2 text-xs">
        {isAzure ? words.deployments : note ? modelsText.byHand.title : words.ownModels}
      </legend>
      <p className="text-fg-3 text-xs">{isAzure ? words.deploymentsNote : (note ?? words.ownModelsNote)}</p>
      <datalist id={suggestions}>
        {known?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      {models.map((model, position) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names until they are typed
          key={position}
          className="grid grid-cols-[1fr_1fr_auto] items-end gap-2 sm:grid-cols-[2fr_2fr_1fr_1fr_1fr_auto]"
        >
          <TextField
            label={row.name(position + 1)}
            value={model.model}
            maxLength={256}
            onChange={(event) => change(position, { model: event.target.value })}
          />
          <TextField
            label={words.sameAs}
            list={suggestions}
            placeholder="openai/gpt-5.4-mini"
            className="max-sm:col-span-2"
            value={model.sameAs ?? ''}
            onChange={(event) => change(position, { sameAs: event.target.value.trim() || null })}
          />
          <TextField
            label={words.priceIn}
            inputMode="decimal"
            value={model.input ?? ''}
            onChange={(event) => change(position, { input: event.target.value.trim() || null })}
          />
          <TextField
            label={words.priceOut}
            inputMode="decimal"
            value={model.output ?? ''}
            onChange={(event) => change(position, { output: event.target.value.trim() || null })}
          />
          <TextField
            label={words.priceCached}
            inputMode="decimal"
            value={model.cached ?? ''}
            onChange={(event) => change(position, { cached: event.target.value.trim() || null })}
          />
          <IconButton
            icon={Trash2}
            label={row.remove(position + 1)}
            onClick={() => onChange(models.filter((_model, index) => index !== position))}
          />
          {model.pricedOn !== null && (
            <p className="col-span-full text-fg-3 text-xs">{words.pricedOn(utcDay(model.pricedOn))}</p>
          )}
        </div>
      ))}
      <Button className="self-start" onClick={() => onChange([...models, newModel])}>
        {row.add}
      </Button>
    </fieldset>
  );
}

interface HeaderFieldsProps {
  headers: SavedServer['headers'];
  /** Headers whose saved values stay unless replaced. */
  savedNames: readonly string[];
  onChange: (headers: SavedServer['headers']) => void;
}

/** The headers of every request. Saved values are never shown again. */
export function HeaderFields({ headers, savedNames, onChange }: HeaderFieldsProps) {
  const change = (position: number, more: Partial<SavedServer['headers'][number]>) =>
    onChange(headers.map((header, index) => (index === position ? { ...header, ...more } : header)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-fg-2 text-xs">{words.headers}</legend>
      <p className="text-fg-3 text-xs">{words.headersNote}</p>
      {headers.map((header, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names until they are typed
        <div key={position} className="grid grid-cols-[1fr_1fr_auto] items-end gap-2">
          <TextField
            label={words.rows.header.name(position + 1)}
            value={header.name}
            maxLength={100}
            onChange={(event) => change(position, { name: event.target.value })}
          />
          <TextField
            label={words.headerValue(position + 1)}
            type="password"
            maxLength={4096}
            placeholder={savedNames.includes(header.name) ? words.keptValue : undefined}
            value={header.value}
            onChange={(event) => change(position, { value: event.target.value })}
          />
          <IconButton
            icon={Trash2}
            label={words.rows.header.remove(position + 1)}
            onClick={() => onChange(headers.filter((_header, index) => index !== position))}
          />
        </div>
      ))}
      <Button className="self-start" onClick={() => onChange([...headers, { name: '', value: '' }])}>
        {words.rows.header.add}
      </Button>
    </fieldset>
  );
}
