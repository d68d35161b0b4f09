import type { Generated } from 'kysely';

/** Tables of migration `004-composer`: drafts, options, queue and costs. */
export interface ComposerTables {
  drafts: {
    chat: string;
    text: string;
    attachments: string;
    model: string | null;
    /** JSON: the models of a comparison that the draft is for. */
    compare: Generated<string>;
    updated_at: number;
  };
  queued_messages: {
    /** The order in which queued messages are sent. */
    seq: number | null;
    id: string;
    conversation_id: string;
    text: string;
    attachments: string;
    model: string;
    /** JSON: the models of a comparison that the message is for. */
    compare: Generated<string>;
    /** JSON: why it could not be sent. */
    problem: string | null;
  };
  chat_options: { chat: string; value: string };
  prompts: { id: string; name: string; text: string };
  presets: { id: string; name: string; value: string; for_new_chats: number };
  /** Attachments by the SHA-256 of their bytes. The bytes themselves are in the data folder. */
  attachments: {
    id: string;
    kind: 'image' | 'pdf' | 'text';
    media_type: string;
    bytes: number;
    tokens: number;
    /** When it was last uploaded. An unreferenced file is removed a day later. */
    used_at: number;
  };
  summaries: {
    id: string;
    conversation_id: string;
    through_id: string;
    messages: number;
    text: string;
    model: string;
    simulated: number;
    cost_usd: string | null;
    cost_source: 'billed' | 'estimated' | 'byok' | 'unknown';
    bill: string | null;
    created_at: number;
  };
  /** One row per request that may have cost something. A trigger adds the rows of answers. Rows are never deleted. */
  spend: {
    id: string;
    conversation_id: string;
    request_id: string | null;
    purpose: string;
    simulated: number;
    cost_usd: string | null;
    cost_source: 'billed' | 'estimated' | 'byok' | 'unknown';
    at: number;
    /** Set for a request other than an answer while its cost is unknown. An answer has its own in `messages`. */
    client_request_id: Generated<string | null>;
    /** The billing account. Null for a deleted message of an app version that didn't record it. */
    source: Generated<string | null>;
  };
  /** The user's marks on requests for which ledger and chats disagree. */
  request_marks: { request_id: string; mark: 'explained'; at: number };
}
