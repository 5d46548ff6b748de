"""The language in which users describe arguments and domains: `bf16[K,M]`, `K % 128 == 0`."""
