import { useState } from 'react';
import type { Prompt } from '#shared/contract/chat/prompts.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { fillIn, getVariables } from './composer-menu.ts';

/** Asks for the values of a prompt's variables and passes on the filled-in text. */
export function PromptForm({ prompt, onDone }: { prompt: Prompt; onDone: (text: string | null) => void }) {
  const [values, setValues] = useState<Record<string, string>>({});
  return (
    <Form
      saveLabel={text.insert}
      cancelLabel={text.cancel}
      onSave={() => onDone(fillIn(prompt.text, values))}
      onCancel={() => onDone(null)}
    >
      {getVariables(prompt.text).map((name, index) => (
        <TextArea
          key={name}
          label={name}
          rows={1}
          autoFocus={index === 0}
          value={values[name] ?? ''}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
        />
      ))}
    </Form>
  );
}
