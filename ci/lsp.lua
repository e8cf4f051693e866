-- lsp.lua: Neovim as a client of `fencepost lsp`, without a screen. Run by ci/lsp_test.sh, which has the arguments in the environment.
local program, file = vim.env.FENCEPOST, vim.env.KERNEL

local function say(...) io.stdout:write(string.format(...), "\n") end
local function fail(...)
  say(...)
  vim.cmd("cquit 1")
end
local function wait(what, ready)
  if not vim.wait(60000, ready, 20) then fail("no %s within a minute", what) end
end

vim.cmd("edit " .. vim.fn.fnameescape(file))
vim.bo.filetype = "cuda"
local exit
local id = vim.lsp.start_client({
  name = "fencepost",
  cmd = { program, "lsp", "--pause", "50ms" },
  root_dir = vim.fn.fnamemodify(file, ":h"),
  on_exit = function(code) exit = code end,
})
vim.lsp.buf_attach_client(0, id)
local client = vim.lsp.get_client_by_id(id)
wait("initialization", function() return client.initialized end)

-- What was published last, and for which version of the text.
local published
local show = vim.lsp.handlers["textDocument/publishDiagnostics"]
vim.lsp.handlers["textDocument/publishDiagnostics"] = function(err, result, ...)
  published = result
  return show(err, result, ...)
end
local function report(title)
  local version = vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()]
  wait("check of version " .. version, function() return published and published.version == version end)
  local shown = vim.diagnostic.get(0)
  say("== %s: %d diagnostics", title, #shown)
  for _, d in ipairs(shown) do
    say("%d:%d-%d:%d %s %s: %s", d.lnum + 1, d.col, d.end_lnum + 1, d.end_col, vim.diagnostic.severity[d.severity], d.code, (d.message:gsub("\n.*", "")))
  end
  for _, d in ipairs(published.diagnostics) do
    for _, r in ipairs(d.relatedInformation or {}) do
      say("    %s:%d: %s", r.location.uri:match("[^/]*$"), r.location.range.start.line + 1, r.message)
    end
  end
  return published.diagnostics
end
local function ask(method, params)
  params.textDocument = vim.lsp.util.make_text_document_params()
  local answer, err = client.request_sync(method, params, 10000, 0)
  if err or answer.err then fail("%s: %s", method, err or vim.inspect(answer.err)) end
  return answer.result
end
local function actions(d)
  return ask("textDocument/codeAction", { range = d.range, context = { diagnostics = { d } } })
end
local function apply(d, wanted)
  for _, a in ipairs(actions(d)) do
    if a.title:find(wanted, 1, true) then
      say("== code action: %s", a.title)
      local before = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      vim.lsp.util.apply_workspace_edit(a.edit, client.offset_encoding)
      for i, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
        if line ~= before[i] then say("%4d %s", i, line) break end
      end
      return
    end
  end
  fail("no code action %q: %s", wanted, vim.inspect(actions(d)))
end
local function has(found, code)
  for _, d in ipairs(found) do
    if d.code == code then return d end
  end
end

local first = vim.env.RULE
local found = report("as it is opened")
local d = has(found, first) or fail("no %s", first)
local hover = ask("textDocument/hover", { position = d.range.start })
say("== hover (%s)\n%s", hover.contents.kind, table.concat(vim.list_slice(vim.split(hover.contents.value, "\n"), 1, tonumber(vim.env.HOVER)), "\n"))
if not hover.contents.value:find("# " .. first, 1, true) then fail("the hover has no page of %s", first) end

-- A line before it, unsaved, with characters of two code units: places move with the text.
vim.api.nvim_buf_set_lines(0, 0, 0, false, { "/* 🚧🚧 */" })
local moved = has(report("with a line put in front"), first)
if moved.range.start.line ~= d.range.start.line + 1 then fail("the finding did not move with its line") end
vim.cmd("let &undolevels = &undolevels") -- what comes now is undone by itself
apply(moved, "Suppress " .. first)
if has(report("suppressed"), first) then fail("the finding is not suppressed") end
vim.cmd("silent undo")
moved = has(report("after undo"), first) or fail("the finding did not come back")
apply(moved, "Fix " .. first)
if has(report("fixed, and not saved"), first) then fail("the fix does not fix") end

client.stop()
wait("end", function() return exit end)
say("== the server ended with exit code %d", exit)
vim.cmd(exit == 0 and "qall!" or "cquit 1")
