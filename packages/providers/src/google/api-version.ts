/**
 * The version of the Gemini API that is spoken to. Said to the SDK, which takes another from the environment otherwise
 * (C4) and `v1` by default since its 3.0; previews and the names that end in `-latest` are in `v1beta` alone.
 */
export const geminiApiVersion = 'v1beta';
