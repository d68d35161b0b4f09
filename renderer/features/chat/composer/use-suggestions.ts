import { useState } from 'react';
import type { Prompt } from '#shared/contract/chat/prompts.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { useDrafts } from '../../drafts/drafts-store.ts';
import { usePrompts } from '../../prompts/use-prompts.ts';
import { getVariables, modelEntries, promptEntries } from './composer-menu.ts';
import { useComposerMenu } from './use-composer-menu.ts';
import type { NextMessage } from './use-next-message.ts';

/** The menu of prompts and models, and the prompt whose variables are being filled in. */
export function useSuggestions({ key, text: draft, models, compare }: NextMessage, insert: (words: string) => void) {
  const prompts = usePrompts().data ?? [];
  const providerName = useProviderName();
  const [asked, setAsked] = useState<Prompt | null>(null);
  const [before, setBefore] = useState('');
  const put = (prompt: Prompt, above: string) => {
    setBefore(above);
    if (getVariables(prompt.text).length > 0) setAsked(prompt);
    else insert(above + prompt.text);
  };
  const menu = useComposerMenu(draft, {
    '/': {
      label: text.prompts,
      empty: text.noPrompts,
      entries: (query) => promptEntries(prompts, query),
      pick: (id) => {
        const picked = prompts.find((entry) => entry.id === id);
        if (picked) put(picked, '');
      },
    },
    '@': {
      label: text.models,
      empty: text.noModel,
      entries: (query) => modelEntries(models, query, providerName),
      pick: (id, { start, query }) => {
        if (compare.on) compare.add(id);
        else useDrafts.getState().mention(key, id);
        insert(draft.slice(0, start) + draft.slice(start + query.length + 1).replace(/^ /, ''));
      },
    },
  });
  return {
    menu,
    asked,
    /** Inserts the filled-in prompt, or nothing if the form was cancelled (null). */
    answer: (words: string | null) => {
      setAsked(null);
      if (words !== null) insert(before + words);
    },
    add: (prompt: Prompt) => put(prompt, draft.trim() === '' ? '' : `${draft.trimEnd()}\n\n`),
  };
}
