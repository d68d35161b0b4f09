import { X } from 'lucide-react';
import { text } from '../../../text/tools-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { type SecretDraft, type ServerDraft, secretProblem } from './server-draft.ts';

const { form } = text;

interface SecretFieldsProps {
  draft: ServerDraft;
  onChange: (rows: SecretDraft[]) => void;
}

/** Environment variables or headers, with visible names and hidden values. */
export function SecretFields({ draft, onChange }: SecretFieldsProps) {
  const rows = draft.secrets[draft.type];
  const change = (key: number, part: Partial<SecretDraft>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const add = () =>
    onChange([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: '', value: '', isSaved: false }]);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-fg-2 text-xs">
        {draft.type === 'http' ? form.headers : form.variables}
      </legend>
      {rows.map((row, index) => {
        const problem = secretProblem(draft, row);
        return (
          <div key={row.key} className="flex items-end gap-2">
            <TextField
              className="flex-1"
              label={form.secretName(index + 1)}
              value={row.name}
              readOnly={row.isSaved}
              problem={problem ? (problem === 'twice' ? form.twice : form.badName) : undefined}
              onChange={(event) => change(row.key, { name: event.target.value.trim() })}
            />
            <TextField
              className="flex-1"
              label={form.secretValue(index + 1)}
              type="password"
              autoComplete="off"
              placeholder={row.isSaved ? form.kept : undefined}
              value={row.value}
              onChange={(event) => change(row.key, { value: event.target.value })}
            />
            <IconButton
              icon={X}
              label={form.removeSecret(index + 1)}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            />
          </div>
        );
      })}
      <div>
        <Button onClick={add}>{form.addSecret[draft.type]}</Button>
      </div>
      <p className="text-fg-3 text-xs">{form.secretsNote}</p>
    </fieldset>
  );
}
