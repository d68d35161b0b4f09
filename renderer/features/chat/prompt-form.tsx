import { useState } from 'react';
import type { Prompt } from '#shared/contract/prompts.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { filledIn, variablesOf } from './composer-menu.ts';
import { text } from './text.ts';

/** Asks for the variables of a prompt, then hands over its text. */
export function PromptForm({ prompt, onDone }: { prompt: Prompt; onDone: (text: string | null) => void }) {
  const [values, setValues] = useState<Record<string, string>>({});
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onDone(filledIn(prompt.text, values));
      }}
    >
      <div className="flex flex-col gap-3">
        {variablesOf(prompt.text).map((name, at) => (
          <TextArea
            key={name}
            label={name}
            rows={1}
            autoFocus={at === 0}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
        ))}
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={() => onDone(null)}>{text.cancel}</Button>
        <Button look="primary" type="submit">
          {text.insert}
        </Button>
      </div>
    </form>
  );
}
