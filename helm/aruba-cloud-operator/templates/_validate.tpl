{{/* Everything that cannot work, told at once and before anything is applied. Called by deployment.yaml. */}}
{{- define "aruba.validate" -}}
{{- $wrong := concat
      (include "aruba.wrongImage" . | fromJsonArray)
      (include "aruba.wrongCallers" . | fromJsonArray)
      (include "aruba.wrongCredentials" . | fromJsonArray)
      (include "aruba.wrongVault" . | fromJsonArray)
      (include "aruba.wrongPlaces" . | fromJsonArray)
      (include "aruba.wrongUpstream" . | fromJsonArray) -}}
{{- if $wrong -}}
{{- fail (printf "\n\n- %s\n" (join "\n- " $wrong)) -}}
{{- end -}}
{{- end }}

{{- define "aruba.wrongImage" -}}
{{- $wrong := list -}}
{{- $theirs := dig "manager" "image" "repository" "" .Values.controller -}}
{{- $repository := .Values.image.repository | default $theirs -}}
{{- if not $repository -}}
{{- $wrong = append $wrong "image.repository is required: there is no public image. Build one with `make image IMAGE=registry.example/team/aruba-cloud-operator:0.1.0`, push it to a registry of yours, and say --set image.repository=registry.example/team/aruba-cloud-operator (docs/how-to/image.md)" -}}
{{- else if hasSuffix "arubacloud-resource-operator" $repository -}}
{{- $wrong = append $wrong (printf "image.repository: %s is the Go operator's image, which this chart cannot run: build this operator's with `make image` (docs/how-to/image.md)" $repository) -}}
{{- end -}}
{{- toJson $wrong -}}
{{- end }}

{{- define "aruba.wrongCallers" -}}
{{- $wrong := list -}}
{{- $auth := .Values.hookAuth -}}
{{- $token := ne $auth.token.existingSecret "" -}}
{{- $ca := ne (include "aruba.clientCa" .) "" -}}
{{- $shown := ne $auth.clientCertificate.existingSecret "" -}}
{{- $tls := ne (include "aruba.tls" .) "" -}}
{{- if and (not $token) (not $ca) (not $shown) (ne $auth.mode "none") -}}
{{- $wrong = append $wrong "hookAuth: say who may call the hooks, which otherwise listen at 127.0.0.1 only: a bearer token (hookAuth.token.existingSecret), client certificates (hookAuth.clientCertificate), or everybody (hookAuth.mode: none) where something else keeps strangers away (docs/how-to/secure-the-hooks.md)" -}}
{{- end -}}
{{- if and (eq $auth.mode "none") (or $token $ca $shown) -}}
{{- $wrong = append $wrong "hookAuth.mode: none lets everybody in, and a token or client certificate is given as well: take one of the two away" -}}
{{- end -}}
{{- if ne $ca $shown -}}
{{- $wrong = append $wrong "hookAuth.clientCertificate: both are needed, existingSecret (what Metacontroller shows) and ca.configMap or ca.secret (what the hooks hold it against)" -}}
{{- end -}}
{{- if and $shown (not $tls) -}}
{{- $wrong = append $wrong "hookAuth.clientCertificate needs TLS: give tls.existingSecret, and tls.ca" -}}
{{- end -}}
{{- if and .Values.tls.ca (not $tls) -}}
{{- $wrong = append $wrong "tls.ca is given without tls.existingSecret: without the hooks' own certificate they speak no TLS" -}}
{{- end -}}
{{- if and .Values.tls.ca (not (contains "-----BEGIN CERTIFICATE-----" .Values.tls.ca)) -}}
{{- $wrong = append $wrong "tls.ca: expected certificates in PEM, as by --set-file tls.ca=ca.crt" -}}
{{- end -}}
{{- if and (or $auth.token.acceptedKey) (not $token) -}}
{{- $wrong = append $wrong "hookAuth.token.acceptedKey is given without hookAuth.token.existingSecret" -}}
{{- end -}}
{{- toJson $wrong -}}
{{- end }}

{{- define "aruba.wrongCredentials" -}}
{{- $wrong := list -}}
{{- $config := .Values.config -}}
{{- if eq $config.auth.mode "single" -}}
{{- with $config.auth.single -}}
{{- if and $config.existingSecret (or .clientId .clientSecret) -}}
{{- $wrong = append $wrong "config: existingSecret and auth.single.clientId or clientSecret are both given: keep one of the two" -}}
{{- else if and (not $config.existingSecret) (not (and .clientId .clientSecret)) -}}
{{- $missing := ternary "clientId" (ternary "clientSecret" "clientId and clientSecret" (ne .clientId "")) (and (eq .clientId "") (ne .clientSecret "")) -}}
{{- $wrong = append $wrong (printf "config.auth.single: %s missing: put client-id and client-secret into a Secret and name it in config.existingSecret, or give both values (docs/how-to/direct-mode.md)" $missing) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $wrong -}}
{{- end }}

{{- define "aruba.wrongVault" -}}
{{- $wrong := list -}}
{{- $config := .Values.config -}}
{{- $vault := $config.auth.multi.vault -}}
{{- range $name, $ref := dict "roleIdFrom" $vault.roleIdFrom.secretKeyRef "roleSecretFrom" $vault.roleSecretFrom.secretKeyRef -}}
{{- if ne (empty $ref.name) (empty $ref.key) -}}
{{- $wrong = append $wrong (printf "config.auth.multi.vault.%s.secretKeyRef: %s missing: name and key go together" $name (ternary "name" "key" (empty $ref.name))) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $config.auth.mode "multi") (not $config.existingConfigMap) -}}
{{- if not $vault.address -}}
{{- $wrong = append $wrong "config.auth.multi.vault.address missing: the URL of Vault (docs/how-to/vault.md)" -}}
{{- end -}}
{{- if and (eq $vault.auth "kubernetes") (not $vault.role) -}}
{{- $wrong = append $wrong "config.auth.multi.vault.role missing: the role of Vault's Kubernetes auth method" -}}
{{- end -}}
{{- if and (eq $vault.auth "token") (not $vault.tokenFile) -}}
{{- $wrong = append $wrong "config.auth.multi.vault.tokenFile missing: the file in which an agent keeps Vault's token" -}}
{{- end -}}
{{- end -}}
{{- if and (eq $config.auth.mode "multi") (eq $vault.auth "approle") (not $config.existingSecret) -}}
{{- if not (or $vault.roleId $vault.roleIdFrom.secretKeyRef.name) -}}
{{- $wrong = append $wrong "config.auth.multi.vault: the role_id is missing: give roleIdFrom.secretKeyRef, or config.existingSecret with key role-id, or roleId" -}}
{{- end -}}
{{- if not (or $vault.roleSecret $vault.roleSecretFrom.secretKeyRef.name) -}}
{{- $wrong = append $wrong "config.auth.multi.vault: the secret_id is missing: give roleSecretFrom.secretKeyRef, or config.existingSecret with key role-secret, or roleSecret" -}}
{{- end -}}
{{- end -}}
{{- toJson $wrong -}}
{{- end }}

{{- define "aruba.wrongPlaces" -}}
{{- $wrong := list -}}
{{- $once := include "aruba.atStart" . | fromJsonArray -}}
{{- if .Values.config.existingConfigMap -}}
{{- range $key, $said := .Values.settings -}}
{{- if not (has $key $once) -}}
{{- $wrong = append $wrong (printf "settings.%s: with config.existingConfigMap the chart makes no ConfigMap: put the key into that one" $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $cas := dict "config.auth.multi.vault.ca" .Values.config.auth.multi.vault.ca "hookAuth.clientCertificate.ca" .Values.hookAuth.clientCertificate.ca -}}
{{- range $path, $ca := $cas -}}
{{- if and $ca.configMap $ca.secret -}}
{{- $wrong = append $wrong (printf "%s: configMap and secret are both given: keep one of the two" $path) -}}
{{- end -}}
{{- end -}}
{{- toJson $wrong -}}
{{- end }}

{{- define "aruba.wrongUpstream" -}}
{{- $wrong := list -}}
{{- if dig "manager" "args" list .Values.controller -}}
{{- $wrong = append $wrong "controller.manager.args: these are words of the Go operator; this chart sets what the hooks need, and settings hold the rest" -}}
{{- end -}}
{{- if dig "ports" list .Values.metricsService -}}
{{- $wrong = append $wrong "metricsService.ports: metrics are plain HTTP at port 8081 here; take it away" -}}
{{- end -}}
{{- $multi := .Values.config.auth.multi -}}
{{- if or (dig "enabled" false (.Values.vault | default dict)) (and (eq .Values.config.auth.mode "multi") (eq $multi.setup "auto")) -}}
{{- $wrong = append $wrong "vault.enabled, config.auth.multi.setup: this chart brings no Vault of its own: run one, set vault.enabled: false and config.auth.multi.setup: manual (docs/how-to/vault.md)" -}}
{{- end -}}
{{- toJson $wrong -}}
{{- end }}
