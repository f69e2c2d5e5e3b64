-- Planned once per session, not at every use: reading a few streams takes less time than planning the statement.
ALTER FUNCTION store.read(text, text, text) SET plan_cache_mode = force_generic_plan;
