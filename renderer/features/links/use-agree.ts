import { ulid } from 'ulid';
import type { DeepLink } from '#shared/deep-link.ts';
import { useApi } from '../../api/api.ts';
import { useModels } from '../../api/use-core.ts';
import { linkDone, useLinks } from '../../navigation/links.ts';
import { getLoc, newChat, useNav } from '../../navigation/nav.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { text } from './links-text.ts';

/** Does what the link asks for. */
export function useAgree(link: DeepLink): () => void {
  const api = useApi();
  const { inform, failed } = useNotify();
  const models = useModels().data?.models ?? [];
  const go = useNav((nav) => nav.go);
  return () => {
    switch (link.kind) {
      case 'new': {
        const drafts = useDrafts.getState();
        const key = draftKey(null);
        const typed = drafts.texts[key] ?? '';
        if (link.prompt !== '') drafts.setText(key, typed.trim() === '' ? link.prompt : `${typed}\n\n${link.prompt}`);
        if (link.model !== null && models.some(({ id }) => id === link.model)) drafts.setModel(key, link.model);
        go(newChat);
        break;
      }
      case 'chat': {
        const { conversationId, messageId } = link;
        go({ page: 'chat', conversationId, ...(messageId !== null && { messageId }) });
        break;
      }
      case 'models':
        go(getLoc(`#models?${link.search}`));
        break;
      case 'gateway':
        useLinks.setState({ gateway: link.url });
        go({ page: 'settings', section: 'gateway' });
        break;
      case 'prompt':
        api.prompts.save({ id: ulid(), name: link.name, text: link.text }).then(
          () => inform(text.saved),
          (error: unknown) => failed(text.notSaved, error),
        );
    }
    linkDone();
  };
}
