class RMSNorm:
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight


class CausalSelfAttention:
    def apply_rotary_emb(self, xq, xk, T):
        places = torch.arange(T, dtype=self.inv_freq.dtype, device=xq.device)
        angles = torch.outer(places, self.inv_freq.to(xq.device))
        angles = torch.cat([angles, angles], dim=-1)[None, None]
        cos, sin = angles.cos().to(xq.dtype), angles.sin().to(xq.dtype)

        def turned(x):
            one, two = x.chunk(2, dim=-1)
            return x * cos + torch.cat([two, one], dim=-1) * sin

        return turned(xq), turned(xk)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q, k, v = (part.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for part in (q, k, v))
        if not self.config.abs_emb:
            q, k = self.apply_rotary_emb(q, k, T)
        if self.use_flash_attn:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
            att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
            att = self.attn_dropout(F.softmax(att, dim=-1))
            y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        y = self.resid_dropout(self.c_proj(y))
        return y if not self.debug else {"att_probs": att, "q": q, "k": k, "v": v}
